//! Small arrays: the driver copies them directly, and there is one launch.

use super::super::sys;

use super::super::driver::check;
use super::super::{Queue, Usage};
use super::lanes::DeviceBlock;
use super::plan::Plan;
use super::{Chunk, HostInput, HostOutput};
use crate::Result;

/// Copies every input, launches once, and copies every output, all on the GPU's stream; returns when all of it is done.
///
/// # Safety
///
/// `plan` must be for these arrays, in one chunk. Every array must have as many elements as it says, and no output overlap
/// with another array.
pub(super) unsafe fn run(
    queue: &'static Queue,
    plan: &Plan,
    inputs: &[HostInput<'_>],
    outputs: &[HostOutput<'_>],
    launch: &mut dyn FnMut(Chunk<'_>) -> Result<()>,
) -> Result<()> {
    let block = DeviceBlock::new(queue, plan)?;
    let (device_inputs, device_outputs) = (plan.inputs.addresses(block.inputs), plan.outputs.addresses(block.outputs));

    // Host memory that someone has pinned is copied while we continue, so that leaving early must wait.
    let in_flight = InFlight(queue);
    queue.gpu().make_current()?;
    for (input, &target) in inputs.iter().zip(&device_inputs) {
        let bytes = plan.len * input.element_size;
        // SAFETY: the caller guarantees the host's range, and the block has a place for it.
        check("cuMemcpyHtoDAsync", unsafe { sys::call!(cuMemcpyHtoDAsync_v2(target, input.bytes.cast(), bytes, queue.stream)) })?;
    }
    launch(Chunk { first: 0, len: plan.len, inputs: &device_inputs, outputs: &device_outputs, usage: &Usage::unused() })?;
    queue.gpu().make_current()?;
    for (output, &source) in outputs.iter().zip(&device_outputs) {
        let bytes = plan.len * output.element_size;
        // SAFETY: as above.
        check("cuMemcpyDtoHAsync", unsafe { sys::call!(cuMemcpyDtoHAsync_v2(output.bytes.cast(), source, bytes, queue.stream)) })?;
    }
    let waited = queue.wait();
    std::mem::forget(in_flight);
    waited
}

/// Waits for the GPU when it is dropped.
struct InFlight(&'static Queue);

impl Drop for InFlight {
    fn drop(&mut self) {
        // The error that brought us here is the one to report; a failed kernel waits for the next call that reports.
        let _ = self.0.wait();
    }
}
