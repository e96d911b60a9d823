//! Where atomics may stand, and what is passed for them.

use gpu_runtime::prelude::*;
use std::sync::atomic::{AtomicU32, Ordering};

/// An atomic is not assigned.
#[gpu_kernel]
fn assigned(counts: &[AtomicU32]) {
    let i = grid_1d();
    counts[i] = 1; //~
}

/// An atomic is not passed by value.
mod by_value {
    use super::*;

    #[gpu_kernel]
    fn kernel(count: AtomicU32) { //~
        let i = grid_1d();
        if i == 0 {
            count.fetch_add(1, Ordering::Relaxed);
        }
    }

    fn caller() -> gpu_runtime::Result<()> {
        Ok(())
    }
}

/// An atomic is no operand.
#[gpu_kernel]
fn compared(counts: &[AtomicU32]) {
    let i = grid_1d();
    let is_zero = counts[i] == 0; //~
}

/// An atomic is not copied.
#[gpu_kernel]
fn copied(counts: &[AtomicU32]) {
    let i = grid_1d();
    let count = counts[i]; //~
}

/// The calls of an array function share nothing.
#[guvectorize("(n)->()")]
fn in_array_function(counts: &[AtomicU32]) -> u32 { //~
    counts[0].fetch_add(1, Ordering::Relaxed)
}

/// A variable of one thread needs no atomic.
#[gpu_kernel]
fn local(counts: &[AtomicU32]) {
    let i = grid_1d();
    let own = AtomicU32::new(0); //~
    counts[i].store(1, Ordering::Relaxed);
}

/// Threads share atomics, so the reference is a shared one.
#[gpu_kernel]
fn mutable_slice(counts: &mut [AtomicU32]) { //~
    let i = grid_1d();
    counts[i].fetch_add(1, Ordering::Relaxed);
}

/// Threads share atomics, so a view of them is one to read.
#[gpu_kernel]
fn mutable_view(counts: ViewMut<AtomicU32, 2>) { //~
    let i = grid_1d();
    counts[[i, i]].fetch_add(1, Ordering::Relaxed);
}

/// One launch does not have an array both as atomics and as plain numbers.
mod read_in_the_same_launch {
    use super::*;

    #[gpu_kernel]
    fn kernel(counts: &[AtomicU32], x: &[u32]) {
        let i = grid_1d();
        counts[i].fetch_add(x[i], Ordering::Relaxed);
    }

    fn caller() -> gpu_runtime::Result<()> {
        let mut counts = Device::cpu().zeros::<u32>(8)?;
        kernel(&mut counts, &counts).launch(1, 8) //~
    }
}

/// An atomic type is known by its name, so it is not another one.
mod renamed_type {
    use std::sync::atomic::{AtomicI32 as AtomicU32, Ordering};
    use super::*;

    #[gpu_kernel] //~
    fn kernel(counts: &[AtomicU32]) {
        let i = grid_1d();
        counts[i].fetch_max(1, Ordering::Relaxed);
    }

    fn caller() -> gpu_runtime::Result<()> {
        let mut counts = Device::cpu().zeros::<i32>(8)?;
        kernel(&mut counts).launch(1, 8)
    }
}

/// Atomics need the array for themselves.
mod shared_borrow {
    use super::*;

    #[gpu_kernel]
    fn kernel(counts: &[AtomicU32]) {
        let i = grid_1d();
        counts[i].fetch_add(1, Ordering::Relaxed);
    }

    fn caller() -> gpu_runtime::Result<()> {
        let counts = Device::cpu().zeros::<u32>(8)?;
        kernel(&counts).launch(1, 8) //~
    }
}

/// An atomic in shared memory is not assigned either.
#[gpu_kernel]
fn shared_element_assigned(counts: &[AtomicU32]) {
    let i = grid_1d();
    let mut own = shared::<[AtomicU32; 8]>();
    own[i] = 0; //~
}

/// A parameter of a kernel is a slice, even for one atomic.
#[gpu_kernel]
fn single_atomic(count: &AtomicU32) { //~
    let i = grid_1d();
    if i == 0 {
        count.fetch_add(1, Ordering::Relaxed);
    }
}

/// An atomic in a view is no value either.
#[gpu_kernel]
fn view_copied(counts: View<AtomicU32, 2>) {
    let i = grid_1d();
    let count = counts[[i, i]]; //~
}

/// A launch takes an array of the numbers that the atomics are of, and takes it to write.
mod view_of_other_numbers {
    use super::*;

    #[gpu_kernel]
    fn kernel(counts: View<AtomicU32, 2>) {
        let i = grid_1d();
        counts[[i, i]].fetch_add(1, Ordering::Relaxed);
    }

    fn caller() -> gpu_runtime::Result<()> {
        let counts = Device::cpu().zeros::<u32>([8, 8])?;
        kernel(&counts).launch(1, 8) //~
    }
}

// Callers of what was refused compile.

fn callers_1() -> gpu_runtime::Result<()> {
    let mut counts = Device::cpu().zeros::<u32>(8)?;
    assigned(&mut counts).launch(1, 8)?;
    compared(&mut counts).launch(1, 8)?;
    copied(&mut counts).launch(1, 8)?;
    local(&mut counts).launch(1, 8)?;
    mutable_slice(&mut counts).launch(1, 8)?;
    shared_element_assigned(&mut counts).launch(1, 8)?;
    single_atomic(&mut counts).launch(1, 8)?;
    Ok(())
}

fn callers_2() -> gpu_runtime::Result<()> {
    let mut counts = Device::cpu().zeros::<u32>([8, 8])?;
    mutable_view(&mut counts).launch(1, 8)?;
    view_copied(&mut counts).launch(1, 8)?;
    Ok(())
}

fn main() {}

/// What threads share is changed through a shared reference.
#[gpu_device]
fn changed_through_mutable(count: &mut AtomicU32) -> u32 { //~
    count.fetch_add(1, Ordering::Relaxed)
}

/// A reference does not tell whether other blocks use the atomic.
#[gpu_kernel]
fn scope_of_reference(counts: &[AtomicU32]) {
    let slot = &counts[grid_1d()];
    slot.block_scope().fetch_add(1, Ordering::Relaxed); //~
}

#[gpu_device]
fn scope_of_parameter(count: &AtomicU32) {
    count.block_scope().fetch_add(1, Ordering::Relaxed); //~
}

/// A name for an atomic is no value either.
#[gpu_kernel]
fn name_read(counts: &[AtomicU32], out: &mut [u32]) {
    let slot = &counts[0];
    out[grid_1d()] = *slot; //~
}
