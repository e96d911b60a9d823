//! Scattered updates on a GPU: a thread for each, which uses CUDA's atomic operation if there is one for the function, and otherwise
//! replaces the element if it is still the one that it read. CUDA does that for words of up to 8 bytes; elements of other sizes have locks.
//!
//! Additions to few elements would wait for each other. So each block adds in shared memory first, where there are several sums for each
//! element, and then adds its sums to the elements.

use super::OUT_OF_BOUNDS;
use super::native::Native;
use crate::Result;
use crate::dims::LaunchDims;
use crate::source::{Callee, Element, Segment};
use crate::ufunc::cuda::{
    AccessPattern, BLOCK, ElementText, Generated, KernelParameters, Launcher, Purpose, input_words, leak, unit_with_sites, write_element,
};
use crate::ufunc::formula::Formula;
use crate::ufunc::input::Input;
use crate::ufunc::plan::Plan;
use crate::ufunc::{ArrayFunction, Code, Component};

/// Bytes of the sums of a block.
const SUM_BYTES: usize = 32 << 10;

/// Sums for each element: with fewer, additions in shared memory are not faster.
const LEAST_COPIES: usize = 4;

/// Blocks of a multiprocessor at a time, with so many bytes of sums, and elements that a block takes at a time.
const BLOCKS_WITH_SUMS: u32 = 6;
const TILE: usize = 4 * BLOCK as usize;

/// Which kernel surrounds `gr_element`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct ScatterKernel {
    /// The sums in shared memory of a block, or 0.
    pub(super) sums: usize,
}

impl ScatterKernel {
    /// Whether its threads take elements in turn, and add them up in shared memory.
    pub(crate) fn has_sums(self) -> bool {
        self.sums > 0
    }
}

impl Native {
    /// The sums of a block for a target of `len` elements of `size` bytes; 0 if they do not fit, or if the update is none that adds.
    pub(super) fn sums(self, len: usize, size: usize) -> usize {
        let sums = SUM_BYTES / size;
        if self.adds() && len.saturating_mul(LEAST_COPIES) <= sums { sums } else { 0 }
    }
}

/// Updates the `len` elements at `target` by the pairs of `C`, of an index and a value.
///
/// # Safety
///
/// The plan's operands are `inputs`, of the types that `C` names and on the GPU, as large as it says. The target is on the GPU, of
/// that length, and nothing else uses it.
pub(super) unsafe fn update<C: Code, F: ArrayFunction<Args = (T, T), Output = T>, T: Element>(
    launcher: Launcher,
    plan: &Plan,
    inputs: &[Input<'_>],
    target: u64,
    len: usize,
) -> Result<()> {
    let pattern = AccessPattern::new(plan, inputs);
    let formula = Formula::folded::<C, F>();
    let native = Native::of::<F>();
    let kernel = ScatterKernel { sums: native.map_or(0, |native| native.sums(len, size_of::<T>())) };
    let write = |pattern: &AccessPattern| write_update(formula, native, F::callee, Updated::of::<T>(), pattern, kernel);
    let loaded = launcher.kernel(Purpose::Scatter(kernel), formula, pattern, &write)?;
    let mut parameters = KernelParameters::new();
    parameters.push_words(&input_words(plan, inputs));
    [target, len as u64, plan.len as u64].into_iter().for_each(|number| parameters.push(number));
    let blocks = match kernel.sums {
        0 => plan.len.div_ceil(BLOCK as usize),
        _ => plan.len.div_ceil(TILE).min((BLOCKS_WITH_SUMS * launcher.multiprocessors()) as usize),
    };
    let dims = LaunchDims::along_x(blocks, BLOCK);
    // SAFETY: the parameters are those of `write_update`; the caller guarantees the arrays, and updates are atomic.
    unsafe { loaded.launch(&dims, &mut parameters) }
}

/// The type of the elements of a target.
#[derive(Clone, Copy)]
pub(super) struct Updated {
    component: Component,
    alignment: usize,
}

impl Updated {
    pub(super) fn of<T: Element>() -> Self {
        Self { component: Component::of::<T>(), alignment: align_of::<T>() }
    }

    /// Declares `gr_value`.
    fn declare(self, body: &mut Vec<Segment>, snippets: &mut Vec<&'static str>) {
        let name = self.component.declare(|| "gr_value".to_owned(), body, snippets);
        if self.component.is_number() {
            body.push(Segment::Text(leak(format!("typedef {name} gr_value;\n\n"))));
        }
    }

    /// `gr_update` of any function, in CUDA C. An array can begin at any multiple of the alignment of its elements.
    fn update(self) -> Vec<Segment> {
        const HEAD: &str = "static __device__ __forceinline__ void gr_update(gr_value* const at, const gr_value value) {\n  ";
        let (is_word, has_place) = (matches!(self.component.size, 1 | 2 | 4 | 8), self.alignment == self.component.size);
        let mut text = vec![Segment::Text(include_str!("update.cu"))];
        text.extend((!is_word || !has_place).then_some(Segment::Text(include_str!("locked.cu"))));
        text.push(Segment::Text(HEAD));
        text.push(Segment::Text(match (is_word, has_place) {
            (true, true) => "gr_updater<sizeof(gr_value)>::update(at, value);\n}\n\n",
            (true, false) => {
                "if ((u64)at % sizeof(gr_value) == 0) gr_updater<sizeof(gr_value)>::update(at, value);\n  \
                 else gr_update_locked(at, value);\n}\n\n"
            }
            (false, _) => "gr_update_locked(at, value);\n}\n\n",
        }));
        text
    }
}

/// The kernel that updates elements of a type with `function`.
pub(super) fn write_update(
    formula: Formula,
    native: Option<Native>,
    function: fn() -> Callee,
    updated: Updated,
    pattern: &AccessPattern,
    kernel: ScatterKernel,
) -> Generated {
    let ElementText { mut body, mut snippets, .. } = write_element(formula, pattern);
    updated.declare(&mut body, &mut snippets);
    match native {
        Some(native) => body.push(Segment::Text(leak(native.text()))),
        None => {
            let head = "static __device__ __forceinline__ gr_value gr_apply(const gr_value element, const gr_value value) {\n  return ";
            body.push(Segment::Text(head));
            body.push(Segment::Function(function));
            body.push(Segment::Text("(element, value);\n}\n\n"));
            body.extend(updated.update());
        }
    }
    body.push(Segment::Text(
        "static __device__ __forceinline__ u64 gr_index(const gr_item& item, const u64 len) {\n  \
           const u64 index = (u64)item._0;\n  \
           if (index >= len) gr_panic(",
    ));
    body.push(Segment::Site(0));
    let head = format!(
        ", index, len);\n  return index;\n}}\n\n#define GR_SUMS {}\n\nextern \"C\" __global__ void __launch_bounds__({BLOCK})\n",
        kernel.sums
    );
    body.push(Segment::Text(leak(head)));
    body.push(Segment::OwnName);
    body.push(Segment::Text(if kernel.sums == 0 { include_str!("global.cu") } else { include_str!("shared.cu") }));
    let sites = &OUT_OF_BOUNDS;
    Generated { unit: unit_with_sites(leak(format!("at_{}", formula.name)), body, snippets, sites), per_thread: 1 }
}
