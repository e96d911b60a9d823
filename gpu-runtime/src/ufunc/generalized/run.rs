//! The loop over the calls of a generalized function, on either backend.

use std::any::TypeId;
use std::fmt::Write as _;
use std::ops::Range;
use std::ptr::null_mut;

use super::GeneralizedFunction;
use super::bind::{Bound, core_len};
use crate::Result;
use crate::backend::cpu::{self, Stop, Thread};
use crate::dims::LaunchDims;
use crate::failure::{KernelFailure, Work};
use crate::memory::Layout;
use crate::source::Segment;
use crate::ufunc::cuda::{
    AccessPattern, Generated, KernelParameters, Launcher, Purpose, Subject, index_text, leak, unit, write_coordinates,
};
use crate::ufunc::formula::Identity;
use crate::ufunc::pieces::Pieces;
use crate::ufunc::plan::Plan;

/// Threads of a block. A call is much work, and there may be few: small blocks spread them over the GPU.
pub(crate) const BLOCK: u32 = 64;

/// Elements that the calls of one run on the CPU take together, at least.
const GRAIN: usize = 16 << 10;

/// An input or output in memory.
pub(super) struct Operand {
    /// Its first element.
    pub(super) pointer: *mut u8,
    /// How its core arrays follow each other.
    pub(super) layout: Layout,
}

/// The loop over the calls.
fn plan_of(bound: &Bound, operands: &[Operand]) -> Plan {
    let layouts: Vec<Layout> = operands.iter().map(|operand| operand.layout).collect();
    Plan::new(bound.shape, &layouts)
}

/// What the workers share.
struct Job<'j> {
    plan: &'j Plan,
    operands: &'j [Operand],
    bound: &'j Bound,
}

impl Job<'_> {
    /// The calls for a range of indices of the loop.
    ///
    /// # Safety
    ///
    /// As for [`on_cpu`], and nobody else runs these indices.
    unsafe fn run<F: GeneralizedFunction>(&self, thread: &Thread<'_>, range: Range<usize>) -> std::result::Result<(), Stop> {
        let offsets_of = |operand| Pieces::new(self.plan, operand, range.clone()).offsets();
        let mut offsets: Vec<_> = self.plan.operands.iter().map(offsets_of).collect();
        let mut pointers = vec![null_mut(); self.operands.len()];
        for call in range {
            for (number, (operand, core)) in self.operands.iter().zip(F::SIGNATURE.operands).enumerate() {
                let offset = offsets[number].next().expect("there is an offset for each call");
                pointers[number] = operand.pointer.wrapping_offset(offset * core.element.size as isize);
            }
            // SAFETY: the addresses are those of the core arrays of one index of the loop; the caller guarantees the memory.
            if let Err(Stop) = unsafe { F::call(thread, &pointers, &self.bound.extents) } {
                thread.blame_element(call, BLOCK);
                return Err(Stop);
            }
        }
        Ok(())
    }
}

// SAFETY: inputs are only read, and every core array of an output is written by one worker.
unsafe impl Sync for Job<'_> {}

/// # Safety
///
/// The operands are those of the signature of `F`, in host memory, and as large as `bound` says; nothing else uses the outputs.
pub(super) unsafe fn on_cpu<F: GeneralizedFunction>(bound: &Bound, operands: &[Operand]) -> std::result::Result<(), KernelFailure> {
    if bound.is_empty() {
        return Ok(());
    }
    let plan = plan_of(bound, operands);
    let signature = F::SIGNATURE;
    let work: usize = signature.operands.iter().map(|operand| core_len(operand, &bound.extents)).max().unwrap_or(1);
    let job = Job { plan: &plan, operands, bound };
    // SAFETY: the caller guarantees the operands; no two ranges have an index in common.
    cpu::for_each_range(F::NAME, Work::elements(BLOCK), plan.len, GRAIN.div_ceil(work.max(1)), &|thread, range| unsafe {
        job.run::<F>(thread, range)
    })
}

/// # Safety
///
/// The operands are those of the signature of `F`, on the GPU, and as large as `bound` says; nothing else uses the outputs.
pub(super) unsafe fn on_gpu<F: GeneralizedFunction>(launcher: Launcher, bound: &Bound, operands: &[Operand]) -> Result<()> {
    if bound.is_empty() {
        return Ok(());
    }
    let plan = plan_of(bound, operands);
    let pattern = AccessPattern::of_operands(&plan);
    let mut words: Vec<u64> = operands.iter().map(|operand| operand.pointer.addr() as u64).collect();
    words.extend(bound.extents.iter().map(|&extent| extent as u64));
    words.extend(plan.coordinate_words());
    let subject = Subject { id: Identity::Type(TypeId::of::<F>()), name: F::NAME, fmad: F::FMAD };
    let kernel = launcher.kernel(Purpose::Batch, subject, pattern, &write_batch::<F>)?;
    let mut parameters = KernelParameters::new();
    parameters.push_words(&words);
    parameters.push(plan.len as u64);
    let dims = LaunchDims::along_x(plan.len.div_ceil(BLOCK as usize), BLOCK);
    // SAFETY: the parameters are those of `write_batch`; the caller guarantees the arrays. Every call has one thread, and the
    // core arrays of outputs do not overlap.
    unsafe { kernel.launch(&dims, &mut parameters) }
}

/// The kernel with one call a thread.
pub(super) fn write_batch<F: GeneralizedFunction>(pattern: &AccessPattern) -> Generated {
    let signature = F::SIGNATURE;
    let (mut body, mut snippets, mut head) = (Vec::new(), vec!["tuple"], String::new());
    if pattern.rank > 0 {
        write_coordinates(&mut head, pattern);
    }
    head.push_str("struct gr_operands {\n");
    for (number, operand) in signature.operands.iter().enumerate() {
        let constant = if number < signature.inputs { "const " } else { "" };
        let name = operand.element.declare(|| format!("gr_type{number}"), &mut body, &mut snippets);
        let _ = writeln!(head, "  {constant}{name}* p{number};");
    }
    for (number, dimension) in signature.dimensions.iter().enumerate() {
        let _ = writeln!(head, "  u64 d{number};  // {}", dimension.name);
    }
    pattern.write_coordinate_fields(&mut head);
    head.push_str("};\n\nextern \"C\" __global__ void ");

    let mut text = format!("  const u64 i = (u64)blockIdx.x * {BLOCK} + threadIdx.x;\n  if (i >= len) return;\n");
    if pattern.rank > 0 {
        text.push_str("  const gr_coordinates c = gr_coordinates_of(i, in.extents);\n");
    }
    let mut arguments = Vec::new();
    let mut returned = Vec::new();
    for (number, operand) in signature.operands.iter().enumerate() {
        let address = format!("in.p{number} + {}", index_text(pattern.access(number), &format!("s{number}")));
        if signature.is_returned(number) {
            returned.push(address);
        } else if operand.core.is_empty() {
            arguments.push(format!("*({address})"));
        } else {
            let extents: Vec<String> = operand.core.iter().map(|dimension| format!("in.d{dimension}")).collect();
            arguments.push(format!("{address}, (usize)({})", extents.join(" * ")));
        }
    }
    arguments.extend(signature.extent_parameters.iter().map(|dimension| format!("(usize)in.d{dimension}")));
    text.push_str(if returned.is_empty() { "  " } else { "  const auto r = " });
    let mut end = format!("({});\n", arguments.join(", "));
    for (component, address) in returned.iter().enumerate() {
        let value = if returned.len() == 1 { "r".to_owned() } else { format!("r._{component}") };
        let _ = writeln!(end, "  *({address}) = {value};");
    }
    end.push_str("}\n");
    body.extend([
        Segment::Text(leak(head)),
        Segment::OwnName,
        Segment::Text("(const gr_operands in, const u64 len) {\n"),
        Segment::Start,
        Segment::Text(leak(text)),
        Segment::Function(F::callee),
        Segment::Text(leak(end)),
    ]);
    Generated { unit: unit(leak(format!("batch_{}", F::NAME)), body, snippets), per_thread: 1 }
}
