//! Scattered updates on a GPU: a thread for each, which replaces the element if it is still the one that it read.

use super::OUT_OF_BOUNDS;
use crate::Result;
use crate::backend::cuda::Queue;
use crate::dims::LaunchDims;
use crate::source::{Callee, Element, Segment};
use crate::ufunc::cuda::{
    AccessPattern, BLOCK, ElementText, Generated, KernelParameters, Purpose, generated_kernel, input_words, launch, leak, unit_with_sites,
    write_element,
};
use crate::ufunc::formula::Formula;
use crate::ufunc::input::Input;
use crate::ufunc::plan::Plan;
use crate::ufunc::{ArrayFunction, Code};

/// Updates the `len` elements at `target` by the pairs of `C`, of an index and a value.
///
/// # Safety
///
/// The plan's operands are `inputs`, of the types that `C` names and on `queue`, as large as it says. The target is on `queue`, of
/// that length, and nothing else uses it.
pub(super) unsafe fn update<C: Code, F: ArrayFunction<Args = (T, T), Output = T>, T: Element>(
    queue: &'static Queue,
    plan: &Plan,
    inputs: &[Input<'_>],
    target: u64,
    len: usize,
) -> Result<()> {
    let pattern = AccessPattern::new(plan, inputs);
    let formula = Formula::folded::<C, F>();
    let write = |pattern: &AccessPattern| write_update(formula, F::callee, T::C_TYPE, pattern);
    let (kernel, _) = generated_kernel(queue, Purpose::Scatter, formula, pattern, &write)?;
    let mut parameters = KernelParameters::new();
    parameters.push_words(&input_words(plan, inputs));
    [target, len as u64, plan.len as u64].into_iter().for_each(|number| parameters.push(number));
    let dims = LaunchDims::along_x(plan.len.div_ceil(BLOCK as usize), BLOCK);
    // SAFETY: the parameters are those of `write_update`; the caller guarantees the arrays, and updates are atomic.
    unsafe { launch(queue, kernel, &dims, parameters) }
}

/// The kernel of an update.
/// The kernel that updates elements of the type `value` with `function`.
pub(super) fn write_update(formula: Formula, function: fn() -> Callee, value: &str, pattern: &AccessPattern) -> Generated {
    let ElementText { mut body, snippets, .. } = write_element(formula, pattern);
    let apply = format!(
        "typedef {value} gr_value;\n\n\
         static __device__ __forceinline__ gr_value gr_apply(const gr_value element, const gr_value value) {{\n  return "
    );
    body.push(Segment::Text(leak(apply)));
    body.push(Segment::Function(function));
    body.push(Segment::Text("(element, value);\n}\n\n"));
    body.push(Segment::Text(include_str!("update.cu")));
    body.push(Segment::Text(leak(format!("extern \"C\" __global__ void __launch_bounds__({BLOCK})\n"))));
    body.push(Segment::OwnName);
    body.push(Segment::Text(
        "(const gr_inputs in, gr_value* const target, const u64 len, const u64 count) {\n  \
           const u64 i = (u64)blockIdx.x * blockDim.x + threadIdx.x;\n  \
           if (i >= count) return;\n  \
           const gr_item item = gr_element(in, i);\n  \
           const u64 index = (u64)item._0;\n  \
           if (index >= len) gr_panic(",
    ));
    body.push(Segment::Site(0));
    body.push(Segment::Text(", index, len);\n  gr_updater<sizeof(gr_value)>::update(target + index, item._1);\n}\n"));
    let sites = &OUT_OF_BOUNDS;
    Generated { unit: unit_with_sites(leak(format!("at_{}", formula.name)), body, snippets, sites), per_thread: 1 }
}
