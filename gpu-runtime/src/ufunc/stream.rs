//! Array functions of host arrays on a GPU: the elements pass through it in chunks.

use std::panic::Location;

use super::cuda::{Launcher, MapKernel};
use super::formula::Formula;
use super::input::{Input, InputKind};
use super::item::Component;
use super::plan::{Access, Plan};
use crate::Result;
use crate::backend::cuda::Queue;
use crate::backend::cuda::pipeline::{Chunk, HostInput, HostOutput, stream_through};

/// Whether chunks of the elements can be computed one after the other: everything in memory is a run of elements or a single
/// one.
pub(super) fn can_stream(plan: &Plan, inputs: &[Input<'_>]) -> bool {
    let has_index = inputs.iter().any(|input| matches!(input.kind, InputKind::Index { .. }));
    plan.len > 0 && !has_index && !plan.needs_coordinates()
}

/// Computes the elements of `C` on `queue` and stores them at `targets`, in host memory; returns when they are there. `fresh`:
/// the targets hold no values yet. `None` if the expression can fail: a chunk does not know which elements it has.
///
/// # Safety
///
/// The plan's operands are `inputs`, of the types that `C` names, on the host or on `queue`, and then `targets`, in host memory,
/// which nothing else uses; all of them are as large as it says, and [`can_stream`] holds. Inputs on the host are accessed
/// [flat](Access::Flat).
pub(super) unsafe fn stream(
    (queue, line): (&'static Queue, &'static Location<'static>),
    formula: Formula,
    plan: &Plan,
    inputs: &[Input<'_>],
    targets: &[*mut u8],
    fresh: bool,
) -> Result<Option<()>> {
    let kernel = MapKernel::new(Launcher::Gpu(queue, line), formula, plan, inputs)?;
    if kernel.can_fail() {
        return Ok(None);
    }
    // An array that occurs twice crosses the bus once.
    let mut streamed: Vec<(*const u8, usize)> = Vec::new();
    let slots: Vec<Option<usize>> = inputs
        .iter()
        .map(|input| match input.kind {
            InputKind::Host { pointer } => Some(slot(&mut streamed, (pointer, input.size))),
            _ => None,
        })
        .collect();
    let host_inputs: Vec<HostInput<'_>> = streamed.iter().map(|&(pointer, size)| HostInput::from_raw(pointer, size)).collect();
    let output = |(&target, component): (&*mut u8, &Component)| HostOutput::from_raw(target, component.size, fresh);
    let host_outputs: Vec<HostOutput<'_>> = targets.iter().zip(formula.components).map(output).collect();
    let mut launch = |chunk: Chunk<'_>| {
        let plan = plan.chunk(chunk.len);
        let inputs: Vec<Input<'_>> = inputs
            .iter()
            .zip(&slots)
            .zip(&plan.operands)
            .map(|((input, slot), operand)| Input { kind: kind_in(&chunk, input, *slot, operand.access), ..input.clone() })
            .collect();
        // SAFETY: the chunk's elements of every operand, accessed as the kernel was made for.
        unsafe { kernel.launch(&plan, &inputs, chunk.outputs) }
    };
    // SAFETY: the caller guarantees the arrays of the host.
    unsafe { stream_through(queue, plan.len, &host_inputs, &host_outputs, &mut launch)? };
    Ok(Some(()))
}

/// The number of an array among those that are streamed.
fn slot(streamed: &mut Vec<(*const u8, usize)>, array: (*const u8, usize)) -> usize {
    streamed.iter().position(|other| *other == array).unwrap_or_else(|| {
        streamed.push(array);
        streamed.len() - 1
    })
}

/// An input as a chunk sees it.
fn kind_in<'a>(chunk: &Chunk<'_>, input: &Input<'a>, slot: Option<usize>, access: Access) -> InputKind<'a> {
    let address = |address: u64| InputKind::Uploaded { pointer: std::ptr::without_provenance(address as usize) };
    match (slot, input.kind.pointer(), access) {
        (Some(slot), ..) => address(chunk.inputs[slot]),
        (None, Some(pointer), Access::Flat) => address(pointer.addr() as u64 + (chunk.first * input.size) as u64),
        (None, ..) => input.kind,
    }
}
