//! Scattered updates on a GPU with a function for which CUDA has an atomic operation: a thread for each.
//!
//! Additions to few elements would wait for each other. So each block adds in shared memory first, where there are several sums for each
//! element, and then adds its sums to the elements.

use super::OUT_OF_BOUNDS;
use super::native::Native;
use crate::Result;
use crate::dims::LaunchDims;
use crate::source::Segment;
use crate::ufunc::Component;
use crate::ufunc::cuda::{
    AccessPattern, BLOCK, ElementText, Generated, KernelParameters, Launcher, Purpose, input_words, leak, unit_with_sites, write_element,
    write_kernel,
};
use crate::ufunc::formula::Formula;
use crate::ufunc::input::Input;
use crate::ufunc::plan::Plan;

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
    /// The sums of a block for a target of `len` elements of `size` bytes; 0 if they do not fit, if there are none, or if the update is none
    /// that adds.
    pub(super) fn sums(self, len: usize, size: usize) -> usize {
        let sums = SUM_BYTES / size;
        if self.adds() && len > 0 && len.saturating_mul(LEAST_COPIES) <= sums { sums } else { 0 }
    }
}

/// Updates the `len` elements at `target` by the pairs of `formula`, of an index and a value.
///
/// # Safety
///
/// The plan's operands are `inputs`, of the types that the code of the formula names and on the GPU, as large as it says. The target is on
/// the GPU, of that length and of elements that the component describes, and nothing else uses it.
pub(super) unsafe fn update(
    launcher: Launcher,
    (formula, native, component): (Formula, Native, Component),
    plan: &Plan,
    inputs: &[Input<'_>],
    target: u64,
    len: usize,
) -> Result<()> {
    let kernel = ScatterKernel { sums: native.sums(len, component.size) };
    let write = |pattern: &AccessPattern| write_update(formula, native, component, pattern, kernel);
    let loaded = launcher.kernel(Purpose::Scatter(kernel), formula, AccessPattern::new(plan, inputs), &write)?;
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

/// Declares `gr_value`, the type of the elements.
pub(super) fn declare_value(component: Component, body: &mut Vec<Segment>, snippets: &mut Vec<&'static str>) {
    let name = component.declare(|| "gr_value".to_owned(), body, snippets);
    if component.is_number() {
        body.push(Segment::Text(leak(format!("typedef {name} gr_value;\n\n"))));
    }
}

/// The kernel that updates elements by the atomic operation.
pub(super) fn write_update(
    formula: Formula,
    native: Native,
    component: Component,
    pattern: &AccessPattern,
    kernel: ScatterKernel,
) -> Generated {
    let ElementText { mut body, mut snippets, .. } = write_element(formula, pattern);
    declare_value(component, &mut body, &mut snippets);
    body.push(Segment::Text(leak(native.text())));
    body.push(Segment::Text(
        "static __device__ __forceinline__ u64 gr_index(const gr_item& item, const u64 len) {\n  \
           const u64 index = (u64)item._0;\n  \
           if (index >= len) gr_panic(",
    ));
    body.push(Segment::Site(0));
    body.push(Segment::Text(leak(format!(", index, len);\n  return index;\n}}\n\n#define GR_SUMS {}\n\n", kernel.sums))));
    write_kernel(&mut body, BLOCK, if kernel.sums == 0 { include_str!("global.cu") } else { include_str!("shared.cu") });
    let sites = &OUT_OF_BOUNDS;
    Generated { unit: unit_with_sites(leak(format!("at_{}", formula.name)), body, snippets, sites), per_thread: 1 }
}
