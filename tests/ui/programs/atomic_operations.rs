//! The operations of atomics, their orderings and outcomes.

use gpu_runtime::prelude::*;
use std::sync::atomic::{AtomicU32, Ordering};

/// A store has nothing to acquire.
#[gpu_kernel]
fn acquire_store(counts: &[AtomicU32]) {
    let i = grid_1d();
    counts[i].store(1, Ordering::AcqRel); //~
}

/// A flag is not added to.
mod add_to_bool {
    use std::sync::atomic::AtomicBool;
    use super::*;

    #[gpu_kernel]
    fn kernel(counts: &[AtomicBool]) {
        let i = grid_1d();
        counts[i].fetch_add(true, std::sync::atomic::Ordering::Relaxed); //~
    }

    fn caller() -> gpu_runtime::Result<()> {
        let mut counts = Device::cpu().zeros::<bool>(8)?;
        kernel(&mut counts).launch(1, 8)
    }
}

/// An atomic has methods instead of operators.
#[gpu_kernel]
fn added_in_place(counts: &[AtomicU32]) {
    let i = grid_1d();
    counts[i] += 1; //~
}

/// Floats have no bit operations.
#[gpu_kernel]
fn and_of_floats(counts: &[AtomicF32]) {
    let i = grid_1d();
    counts[i].fetch_and(1.0, Ordering::Relaxed); //~
}

/// An array of `i32` is none of `AtomicU32`.
mod array_of_other_numbers {
    use super::*;

    #[gpu_kernel]
    fn kernel(counts: &[AtomicU32]) {
        let i = grid_1d();
        counts[i].fetch_add(1, Ordering::Relaxed);
    }

    fn caller() -> gpu_runtime::Result<()> {
        let mut counts = Device::cpu().zeros::<i32>(8)?;
        kernel(&mut counts).launch(1, 8) //~
    }
}

/// A device function knows nothing of the blocks that share an array.
#[gpu_device]
fn block_scope_in_device_function(counts: &[AtomicU32], i: usize) {
    counts[i].block_scope().fetch_add(1, Ordering::Relaxed); //~
}

/// Blocks may share an element that each takes for its own.
mod block_scope_launched_safely {
    use super::*;

    #[gpu_kernel]
    fn count(counts: &[AtomicU32]) {
        counts[block_idx().x].block_scope().fetch_add(1, Ordering::Relaxed);
    }

    #[gpu_kernel]
    fn count_in_block(counts: &mut [u32]) {
        let bins = shared::<[AtomicU32; 8]>();
        bins[thread_idx().x % 8].block_scope().store(1, Ordering::Relaxed);
        sync_threads();
        let i = grid_1d();
        if i < counts.len() {
            counts[i] = bins[0].load(Ordering::Relaxed);
        }
    }

    fn caller() -> gpu_runtime::Result<()> {
        let mut counts = Device::cpu().zeros::<u32>(8)?;
        count_in_block(&mut counts).launch(1, 8)?;
        count(&mut counts).launch(1, 8) //~
    }
}

/// Every operation says its ordering.
#[gpu_kernel]
fn missing_ordering(counts: &[AtomicU32]) {
    let i = grid_1d();
    counts[i].fetch_add(1); //~
}

/// Only atomics have these methods.
#[gpu_kernel]
fn of_plain_numbers(counts: &mut [u32]) {
    let i = grid_1d();
    counts[i].fetch_add(1, std::sync::atomic::Ordering::Relaxed); //~
}

/// An ordering is written out, because a GPU's instruction has it built in.
#[gpu_kernel]
fn ordering_in_variable(counts: &[AtomicU32]) {
    let i = grid_1d();
    let order = Ordering::Relaxed;
    counts[i].fetch_add(1, order); //~
}

/// An exchange succeeds or fails, and a `match` says what happens then.
#[gpu_kernel]
fn outcome_not_covered(counts: &[AtomicU32], out: &mut [u32]) {
    let i = grid_1d();
    out[i] = match counts[i].compare_exchange(0, 1, Ordering::Relaxed, Ordering::Relaxed) { //~
        Ok(old) => old,
        Err(5..) => 7,
    };
}

/// An exchange that fails has nothing to release.
#[gpu_kernel]
fn release_failure(counts: &[AtomicU32]) {
    let i = grid_1d();
    while counts[i].compare_exchange(0, 1, Ordering::AcqRel, Ordering::Release).is_err() {} //~
}

/// A load has nothing to release.
#[gpu_kernel]
fn release_load(counts: &[AtomicU32]) {
    let i = grid_1d();
    counts[0].fetch_add(counts[i].load(Ordering::Release), Ordering::Relaxed); //~
}

/// Only unsigned integers count in circles.
mod signed_counter {
    use std::sync::atomic::{AtomicI32, Ordering};
    use super::*;

    #[gpu_kernel]
    fn kernel(counts: &[AtomicI32]) {
        let i = grid_1d();
        counts[i].fetch_inc_wrapping(7, Ordering::Relaxed); //~
    }

    fn caller() -> gpu_runtime::Result<()> {
        let mut counts = Device::cpu().zeros::<i32>(8)?;
        kernel(&mut counts).launch(1, 8)
    }
}

/// Only the kernel itself gives way to other threads.
mod spin_in_device_function {
    use std::hint::spin_loop;
    use super::*;

    #[gpu_device]
    fn lock(locks: &[AtomicU32]) {
        while locks[0].swap(1, Ordering::Acquire) == 1 {
            spin_loop(); //~
        }
    }
}

/// The arguments are counted.
#[gpu_kernel]
fn too_many_arguments(counts: &[AtomicU32]) {
    let i = grid_1d();
    counts[i].fetch_add(1, 2, std::sync::atomic::Ordering::Relaxed); //~
}

/// `Ordering` is the one of atomics.
mod unknown_ordering {
    use std::cmp::Ordering;
    use super::*;

    #[gpu_kernel]
    fn kernel(counts: &[AtomicU32]) {
        let i = grid_1d();
        counts[i].fetch_add(1, Ordering::Relaxed); //~
    }

    fn caller() -> gpu_runtime::Result<()> {
        let mut counts = Device::cpu().zeros::<u32>(8)?;
        kernel(&mut counts).launch(1, 8)
    }
}

/// An operation is on one element.
#[gpu_kernel]
fn whole_slice(counts: &[AtomicU32]) {
    let i = grid_1d();
    counts.fetch_add(1, std::sync::atomic::Ordering::Relaxed); //~
}

/// A value has the type of the atomic.
#[gpu_kernel]
fn wrong_value(counts: &[AtomicU32]) {
    let i = grid_1d();
    counts[i].fetch_add(1.5, Ordering::Relaxed); //~
}

// Callers of what was refused compile.

fn callers_1() -> gpu_runtime::Result<()> {
    let mut counts = Device::cpu().zeros::<u32>(8)?;
    acquire_store(&mut counts).launch(1, 8)?;
    added_in_place(&mut counts).launch(1, 8)?;
    missing_ordering(&mut counts).launch(1, 8)?;
    of_plain_numbers(&mut counts).launch(1, 8)?;
    ordering_in_variable(&mut counts).launch(1, 8)?;
    outcome_in_variable(&mut counts).launch(1, 8)?;
    outcome_unwrapped(&mut counts).launch(1, 8)?;
    release_failure(&mut counts).launch(1, 8)?;
    release_load(&mut counts).launch(1, 8)?;
    too_many_arguments(&mut counts).launch(1, 8)?;
    whole_slice(&mut counts).launch(1, 8)?;
    wrong_value(&mut counts).launch(1, 8)?;
    Ok(())
}

fn callers_2() -> gpu_runtime::Result<()> {
    let mut counts = Device::cpu().zeros::<f32>(8)?;
    and_of_floats(&mut counts).launch(1, 8)?;
    Ok(())
}

fn callers_3() -> gpu_runtime::Result<()> {
    let device = Device::cpu();
    let (mut counts, mut out) = (device.zeros::<u32>(8)?, device.zeros::<u32>(8)?);
    outcome_not_covered(&mut counts, &mut out).launch(1, 8)?;
    Ok(())
}

fn main() {}
