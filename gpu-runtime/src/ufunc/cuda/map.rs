//! The kernel that stores the elements of an expression.
//!
//! A thread computes four elements, a block's width apart. On an H200 that reads and writes as fast as 16-byte accesses do
//! (vector addition of 100 M `f32`: 4290 GB/s, with one element per thread 3370), and needs no alignment.
//!
//! A user's kernel with several elements a thread has a loop of its own. That one calls the kernel's body, which checks its bounds, for one
//! element after the other, and leaves it to the compiler to start the loads early. Here the loads are known: they are all done first, which
//! branches in the functions cannot prevent, and the last block alone compares with the length.

use std::fmt::Write as _;

use super::BLOCK;
use super::access::AccessPattern;
use super::element::{ElementText, component_alias, input_words, write_element};
use super::generated::{Generated, GeneratedKernel, KernelParameters, Launcher, Purpose, leak, unit, write_kernel};
use super::tiles::Tiling;
use crate::Result;
use crate::dims::{ELEMENTS_PER_THREAD, LaunchDims};
use crate::source::{Segment, SourceUnit};
use crate::ufunc::folded::fields;
use crate::ufunc::formula::Formula;
use crate::ufunc::input::Input;
use crate::ufunc::plan::{Access, Plan};

/// The kernel that maps an expression, loaded.
#[derive(Clone, Copy)]
pub(in crate::ufunc) struct MapKernel {
    kernel: GeneratedKernel,
    tiling: Option<Tiling>,
}

impl MapKernel {
    /// The kernel of `formula` for operands that are accessed as in `plan`.
    pub(in crate::ufunc) fn new(launcher: Launcher, formula: Formula, plan: &Plan, inputs: &[Input<'_>]) -> Result<Self> {
        let write = |pattern: &AccessPattern| write_map(formula, pattern);
        let pattern = AccessPattern::in_tiles(plan, inputs);
        let tiling = pattern.tiling;
        Ok(Self { kernel: launcher.kernel(Purpose::Map, formula, pattern, &write)?, tiling })
    }

    /// Whether an element can fail. Its thread is then the only thing that tells which one it was.
    pub(in crate::ufunc) fn can_fail(self) -> bool {
        self.kernel.per_thread == 1
    }

    /// Stores the elements at `outputs`.
    ///
    /// # Safety
    ///
    /// The plan's operands are `inputs`, of the types that the code names and on the GPU, and then `outputs`, which nothing else
    /// uses, and all of them are as large as it says. They are accessed as in the plan that the kernel was made for.
    pub(in crate::ufunc) unsafe fn launch(self, plan: &Plan, inputs: &[Input<'_>], outputs: &[u64]) -> Result<()> {
        let mut parameters = KernelParameters::new();
        parameters.push_words(&input_words(plan, inputs));
        outputs.iter().for_each(|&output| parameters.push(output));
        let blocks = match self.tiling {
            Some(tiling) if !self.can_fail() => {
                parameters.push_words(&tiling.words(plan));
                tiling.count(plan)
            }
            _ => {
                parameters.push(plan.len as u64);
                plan.len.div_ceil((BLOCK * self.kernel.per_thread) as usize)
            }
        };
        let dims = LaunchDims::along_x(blocks, BLOCK);
        // SAFETY: the parameters are those of `write_map`; the caller guarantees the arrays, and every element has one thread.
        unsafe { self.kernel.launch(&dims, &mut parameters) }
    }
}

/// Runs `formula` and stores its elements at `outputs`.
///
/// # Safety
///
/// The plan's operands are `inputs`, of the types that the code names and on the GPU, and then `outputs`, which nothing else uses,
/// and all of them are as large as it says.
pub(in crate::ufunc) unsafe fn map(
    launcher: Launcher,
    formula: Formula,
    plan: &Plan,
    inputs: &[Input<'_>],
    outputs: &[*mut u8],
) -> Result<()> {
    if plan.len == 0 {
        return Ok(());
    }
    let targets: Vec<u64> = outputs.iter().map(|pointer| pointer.addr() as u64).collect();
    // SAFETY: the caller guarantees the operands.
    unsafe { MapKernel::new(launcher, formula, plan, inputs)?.launch(plan, inputs, &targets) }
}

/// The kernel that [`map`] would launch.
pub(in crate::ufunc) fn map_unit(formula: Formula, plan: &Plan, inputs: &[Input<'_>]) -> &'static SourceUnit {
    write_map(formula, &AccessPattern::in_tiles(plan, inputs)).unit
}

/// The kernel that stores the elements of an expression.
fn write_map(formula: Formula, pattern: &AccessPattern) -> Generated {
    let ElementText { mut body, snippets, can_fail, .. } = write_element(formula, pattern);
    // The coordinates of a thread that fails name the element.
    let per_thread = if can_fail { 1 } else { ELEMENTS_PER_THREAD };
    let outputs: Vec<String> = formula
        .components
        .iter()
        .enumerate()
        .map(|(number, component)| format!("{}* __restrict__ out{number}", component.name(|| component_alias(number))))
        .collect();
    let mut stores = String::new();
    let values = fields("item", pattern.outputs.len());
    for (number, (access, value)) in pattern.outputs.iter().zip(values).enumerate() {
        let index = match access {
            Access::Strided => format!("gr_offset(c, in.t{number})"),
            _ => "i".to_owned(),
        };
        let _ = writeln!(stores, "  out{number}[{index}] = {value};");
    }
    let names: Vec<String> = (0..pattern.outputs.len()).map(|number| format!("out{number}")).collect();
    let (parameters, names) = (outputs.join(", "), names.join(", "));
    let coordinates =
        if pattern.outputs.contains(&Access::Strided) { "  const gr_coordinates c = gr_coordinates_of(i, in.extents);\n" } else { "" };
    let text = format!(
        "static __device__ __forceinline__ void gr_store(const gr_inputs& in, const u64 i, const gr_item& item, {parameters}) {{\n\
         {coordinates}{stores}}}\n\n"
    );
    body.push(Segment::Text(leak(text)));
    let in_tiles = pattern.tiling.is_some() && !can_fail;
    if in_tiles {
        body.push(Segment::Text(leak(Tiling::store_text(pattern.rank, &parameters, &names))));
    }
    let name = leak(format!("map_{}", formula.name));
    if in_tiles {
        write_kernel(&mut body, BLOCK, leak(Tiling::kernel_text(pattern.rank, &parameters, &names)));
        return Generated { unit: unit(name, body, snippets), per_thread };
    }
    let text = format!(
        "(const gr_inputs in, {parameters}, const u64 len) {{\n\
         \x20 const u64 first = (u64)blockIdx.x * {stride} + threadIdx.x;\n\
         \x20 if (first + {last} < len) {{\n\
         \x20   gr_values x[{per_thread}];\n\
         #pragma unroll\n\
         \x20   for (u32 k = 0; k < {per_thread}; ++k) x[k] = gr_load(in, first + k * {BLOCK});\n\
         #pragma unroll\n\
         \x20   for (u32 k = 0; k < {per_thread}; ++k) gr_store(in, first + k * {BLOCK}, gr_compute(in, x[k]), {names});\n\
         \x20 }} else {{\n\
         \x20   for (u64 i = first; i < len && i <= first + {last}; i += {BLOCK}) gr_store(in, i, gr_element(in, i), {names});\n\
         \x20 }}\n\
         }}\n",
        stride = BLOCK * per_thread,
        last = BLOCK * (per_thread - 1),
    );
    write_kernel(&mut body, BLOCK, leak(text));
    Generated { unit: unit(name, body, snippets), per_thread }
}
