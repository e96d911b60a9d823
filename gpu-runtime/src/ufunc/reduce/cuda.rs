//! Reductions on a GPU.
//!
//! A kernel is what [`write_element`] writes, the functions of `fold.cu`, and the plan of work of one of four files, which
//! take a struct each of what the host decided: [`partition`](super::partition).
//!
//! * `all.cu` folds everything into one item, in one launch.
//! * `rows.cu` folds along an axis whose elements are consecutive, with as many threads for a row as it is long.
//! * `columns.cu` folds along any other axis; neighbouring threads read neighbouring columns.
//! * `each.cu` does so where columns are short: a thread has one for itself.
//!
//! Where an axis is too long for as few results as there are, `rows.cu` and `columns.cu` fold parts of it, and a second launch
//! these.

use std::any::TypeId;
use std::fmt::Write as _;
use std::mem::MaybeUninit;

use super::partition::{BLOCK, Division, blocks_of_all};
use crate::Result;
use crate::backend::cuda::{ItemWords, ReductionTargets};
use crate::device::Device;
use crate::dims::LaunchDims;
use crate::memory::Layout;
use crate::source::{Segment, Sites, SourceUnit};
use crate::ufunc::axis::AxisShape;
use crate::ufunc::cuda::{
    AccessPattern, ElementText, Generated, GeneratedKernel, KernelParameters, Launcher, Purpose, component_alias, input_words, leak,
    write_element, write_kernel,
};
use crate::ufunc::folded::{fields, shared_read, write_combine};
use crate::ufunc::formula::Folding;
use crate::ufunc::input::{Input, InputKind};
use crate::ufunc::item::{Component, allocate_values, first_word};
use crate::ufunc::plan::Plan;

/// Bytes that a thread has on their way from memory at a time, for full speed.
const BYTES_AT_A_TIME: usize = 32;

/// The same where functions compute small elements of one input. The branches in a division or a root let the next element wait, which only more
/// threads hide: so many blocks on a multiprocessor that all of its threads are used.
const BYTES_COMPUTED_AT_A_TIME: usize = 16;
const BLOCKS_THAT_COMPUTE: usize = 2048 / BLOCK;

/// How a thread finds the elements that it folds. Along the last axis of the plan, it divides for the coordinates of the first only.
const ALONG_LAST_AXIS: &str = "\
struct gr_start {
  u64 i;
  gr_coordinates c;
};

static __device__ __forceinline__ gr_start gr_start_of(const gr_inputs& in, const u64 i) { return {i, gr_coordinates_of(i, in.extents)}; }

static __device__ __forceinline__ gr_values gr_load_from(const gr_inputs& in, const gr_start& start, const u64 i) {
  gr_coordinates c = start.c;
  c.further = (i64)(i - start.i);
  return gr_load_at(in, i, c);
}

";

/// The same for other elements.
const ANYWHERE: &str = "\
struct gr_start {};

static __device__ __forceinline__ gr_start gr_start_of(const gr_inputs&, const u64) { return {}; }

static __device__ __forceinline__ gr_values gr_load_from(const gr_inputs& in, const gr_start&, const u64 i) { return gr_load(in, i); }

";

/// The kernel of a reduction.
fn write_reduction(folding: Folding, purpose: Purpose, pattern: &AccessPattern) -> Generated {
    let components = folding.formula.components;
    let ElementText { mut body, mut snippets, has_calls, largest, read, .. } = write_element(folding.formula, pattern);
    snippets.push("shuffle");
    write_combine(folding, &mut body);
    body.push(Segment::Text(leak(shared_read(components))));
    let (work, outputs) = match purpose {
        Purpose::ReduceRows => (include_str!("rows.cu"), true),
        Purpose::ReduceColumns => (include_str!("columns.cu"), true),
        Purpose::ReduceEach => (include_str!("each.cu"), true),
        _ => (include_str!("all.cu"), false),
    };
    let is_computed = has_calls && largest <= 4 && read <= 4;
    let blocks = if is_computed { BLOCKS_THAT_COMPUTE } else { 1 };
    // Elements that are smaller in memory bring fewer bytes.
    let bytes = if is_computed && !(1..4).contains(&read) { BYTES_COMPUTED_AT_A_TIME } else { BYTES_AT_A_TIME };
    let at_a_time = bytes / largest_component(components);
    body.push(Segment::Text(if pattern.is_along_last_axis() { ALONG_LAST_AXIS } else { ANYWHERE }));
    let constants = format!("enum : u32 {{ GR_BLOCK = {BLOCK}, GR_AT_A_TIME = {at_a_time} }};\n\n");
    body.extend([constants.leak(), include_str!("fold.cu"), leak(write_result(components, outputs)), work].map(Segment::Text));

    let (parameter, argument) = if outputs { ("const gr_outputs out, ", "out, ") } else { ("", "") };
    let text = format!("(const gr_inputs in, {parameter}const gr_partition part) {{\n  gr_reduction(in, {argument}part);\n}}\n");
    write_kernel(&mut body, format_args!("{BLOCK}, {blocks}"), leak(text));

    let name = leak(format!("reduce_{}", folding.formula.name));
    let unit =
        SourceUnit { name, prototype: &[], snippets: snippets.leak(), body: body.leak(), sites: &Sites::NONE, several_elements: false };
    Generated { unit: Box::leak(Box::new(unit)), per_thread: at_a_time as u32 }
}

/// Where results go: `gr_store` into arrays, or `gr_report` to the host.
fn write_result(components: &[Component], outputs: bool) -> String {
    let mut text = String::new();
    if outputs {
        text.push_str("struct gr_outputs {\n");
        for (number, component) in components.iter().enumerate() {
            let _ = writeln!(text, "  {}* p{number};", component.name(|| component_alias(number)));
        }
        text.push_str("};\n\nstatic __device__ __forceinline__ void gr_store(const gr_outputs& out, const u64 i, const gr_item& item) {\n");
    } else {
        text.push_str("static __device__ __forceinline__ void gr_report(volatile u64* words, const gr_item& item) {\n");
    }
    let values = fields("item", components.len());
    for (number, (component, value)) in components.iter().zip(values).enumerate() {
        let _ = if outputs {
            writeln!(text, "  out.p{number}[i] = {value};")
        } else {
            write_report(&mut text, component, first_word(components, number), &value)
        };
    }
    text.push_str("}\n\n");
    text
}

/// Copies a component to the words from this one on.
fn write_report(text: &mut String, component: &Component, first: usize, value: &str) -> std::fmt::Result {
    if !component.is_class() {
        let c_type = component.number();
        return writeln!(text, "  *(volatile {c_type}*)(words + {first}) = {value};");
    }
    let bits = format!("bits{first}");
    let count = component.size.div_ceil(size_of::<u64>());
    writeln!(text, "  u64 {bits}[{count}] = {{}};\n  memcpy({bits}, &{value}, {});", component.size)?;
    (0..count).try_for_each(|word| writeln!(text, "  words[{}] = {bits}[{word}];", first + word))
}

fn largest_component(components: &[Component]) -> usize {
    // More than eight small elements at a time would take more registers than they bring; of large ones there are two.
    components.iter().map(|component| component.size).max().unwrap_or(1).clamp(4, BYTES_AT_A_TIME / 2)
}

/// The CUDA C of the kernel for a purpose.
#[cfg(test)]
pub(super) fn source(folding: Folding, purpose: Purpose, plan: &Plan, inputs: &[Input<'_>]) -> String {
    let pattern = AccessPattern::new(plan, inputs).along_last_axis(plan, purpose == Purpose::ReduceRows);
    let kernel = write_reduction(folding, purpose, &pattern);
    crate::compile::readable_source(kernel.unit, crate::compile::Variant::Checked)
}

/// The kernel for a purpose, and the words of its inputs. `along_last_axis`: a thread folds elements of one row of the plan.
fn prepare(
    launcher: Launcher,
    folding: Folding,
    purpose: Purpose,
    plan: &Plan,
    inputs: &[Input<'_>],
    along_last_axis: bool,
) -> Result<(GeneratedKernel, Vec<MaybeUninit<u64>>)> {
    let pattern = AccessPattern::new(plan, inputs).along_last_axis(plan, along_last_axis);
    let words = input_words(plan, inputs);
    let write = |pattern: &AccessPattern| write_reduction(folding, purpose, pattern);
    Ok((launcher.kernel(purpose, folding.formula, pattern, &write)?, words))
}

fn dims(blocks: usize) -> LaunchDims {
    LaunchDims::along_x(blocks, BLOCK as u32)
}

/// Folds all elements of an expression, of which there are some, into one item, calls `meanwhile`, and waits for the item.
///
/// # Safety
///
/// The plan's operands are `inputs`, of the types that the code names and on the GPU, as large as it says.
pub(super) unsafe fn reduce(
    launcher: Launcher,
    folding: Folding,
    plan: &Plan,
    inputs: &[Input<'_>],
    meanwhile: &mut dyn FnMut(),
) -> Result<ItemWords> {
    let (kernel, words) = prepare(launcher, folding, Purpose::ReduceAll, plan, inputs, false)?;
    let Launcher::Gpu(queue, _) = launcher else { return Ok(ItemWords::default()) };
    let blocks = blocks_of_all(plan.len, queue.gpu().blocks_of_reduction());
    let launch = |targets: &ReductionTargets| {
        let mut parameters = KernelParameters::new();
        parameters.push_words(&words);
        parameters.push_words(&[plan.len as u64, targets.partials, targets.counter, targets.result, targets.launch]);
        // SAFETY: the parameters are those of `write_reduction` and `all.cu`; the caller guarantees the inputs, and the targets
        // have room for an item of each block.
        unsafe { kernel.launch(&dims(blocks), &mut parameters) }
    };
    queue.reduce_to_words(blocks, launch, meanwhile)
}

/// Folds the elements of an expression along the reduced axis, which has some, into the arrays at `outputs`, in C order.
/// The second folding is that of the items which the first gives.
///
/// # Safety
///
/// The plan's operands are `inputs`, of the types that the code names and on the GPU, as large as it says; its shape is that of `axis`.
/// The outputs have room for the results, and nothing else uses them.
pub(super) unsafe fn reduce_axis(
    launcher: Launcher,
    device: &Device,
    [folding, of_partials]: [Folding; 2],
    plan: &Plan,
    inputs: &[Input<'_>],
    axis: AxisShape,
    outputs: &[*mut u8],
) -> Result<()> {
    if axis.results() == 0 {
        return Ok(());
    }
    let AxisShape { outer, len: reduced, inner } = axis;
    let division = Division::new(axis, launcher.blocks_of_reduction());
    let (parts, blocks) = (division.parts(), division.blocks(axis));
    // The struct `gr_partition` of the purpose's file, which may have fewer words.
    let (purpose, part) = match division {
        Division::Rows(rows) => (Purpose::ReduceRows, [outer, reduced, parts, rows.parts.chunk, rows.group]),
        Division::Columns(columns) => (Purpose::ReduceColumns, [reduced, inner, parts, columns.parts.chunk, columns.width]),
        Division::Each => (Purpose::ReduceEach, [outer, reduced, inner, 0, 0]),
    };
    let part = part.map(|word| word as u64);
    let along_last_axis = purpose == Purpose::ReduceRows && plan.extents.last() == Some(&reduced);
    let (kernel, words) = prepare(launcher, folding, purpose, plan, inputs, along_last_axis)?;
    let reduce_to = |outputs: &[*mut u8]| {
        let targets: Vec<u64> = outputs.iter().map(|pointer| pointer.addr() as u64).collect();
        let mut parameters = KernelParameters::new();
        parameters.push_words(&words);
        [&targets, part.as_slice()].into_iter().for_each(|value| parameters.push_words(value));
        // SAFETY: the parameters are those of `write_reduction` and of the purpose's file; the caller guarantees the inputs, and
        // below for the outputs.
        unsafe { kernel.launch(&dims(blocks), &mut parameters) }
    };
    if parts == 1 {
        return reduce_to(outputs);
    }
    let components = folding.formula.components;
    let (partials, addresses) = allocate_values(device, components, outer * parts * inner)?;
    reduce_to(&addresses)?;

    let shape = [outer, parts, inner].into();
    let layout = Layout::c_order(shape);
    let input = |(&pointer, component): (&*mut u8, &Component)| Input {
        kind: InputKind::Uploaded { pointer },
        layout,
        element: TypeId::of::<u8>(),
        size: component.size,
    };
    let inputs: Vec<Input<'_>> = addresses.iter().zip(components).map(input).collect();
    let plan = Plan::of(shape, &inputs, &[]);
    let axis = AxisShape { outer, len: parts, inner };
    // SAFETY: the partial results are items of this type, and live until this is on the stream; the outputs are the caller's.
    unsafe { reduce_axis(launcher, device, [of_partials; 2], &plan, &inputs, axis, outputs)? };
    drop(partials);
    Ok(())
}
