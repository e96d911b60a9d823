//! Streams host arrays through a GPU in chunks: copies in, kernels and copies out of neighbouring chunks overlap, and
//! memory on both sides stays bounded, however large the arrays.
//!
//! # The way of a chunk
//!
//! ```text
//!   host array --fill--> pinned slot --copy in--> device slot --kernel--> device slot --copy out--> pinned slot --drain--> host array
//!              threads              copy-in stream         the GPU's stream         copy-out stream             threads
//! ```
//!
//! All inputs of a chunk are in one slot and cross the bus in one copy, and so do all outputs: a chunk needs the same few driver calls
//! however many arrays there are. Slots are used in turn. The kernels run on the GPU's one stream, so that device arrays that they use, and
//! the reports of failures, stay in order with all other operations. The copies have one stream for each direction, synchronized with the
//! GPU's stream by events:
//!
//! | before | waits for | by |
//! |---|---|---|
//! | the first copy in | the allocation of the device slots | the copy-in stream |
//! | filling a slot | the copy in of the chunk before in it | the host |
//! | copying in | the kernels of the chunk before in that slot | the copy-in stream |
//! | the kernels | the copy in | the GPU's stream |
//! | the kernels and the copy out | draining the chunk before in that slot | the host |
//! | copying out | the kernels | the copy-out stream |
//! | draining | the copy out | the host |
//!
//! The calling thread starts all of this and never blocks on one part of it ([`engine`]): it checks what has become possible, does that,
//! and helps with copying on machines with few cores. Filling and draining is split into pieces for the call's own threads ([`crew`]). They
//! are not rayon's: its pool may be busy with tasks that wait for this call, or the caller may be one of its workers. In all cases,
//! including an error or a panic of `launch`, the call waits for the threads and for all three streams before it returns, so that host
//! memory and slots can be used again.
//!
//! # Why it is built this way: the arithmetic
//!
//! `a + b` of 100 million `f32` moves 800 MB to the GPU and 400 MB back. A bus that moves 55 GB/s each way takes 14.5 ms, the copies back
//! hidden behind the copies there. All other work must be hidden behind these too:
//!
//! * **Copies by the CPU**: 1.2 GB in 14.5 ms are 83 GB/s. A core copies 10 to 20, so that about eight are needed.
//! * **Memory traffic**: a byte of input is read, written to a slot and read by the GPU; one of output is written by the GPU, read from its
//!   slot and written to the array. That is 3.6 GB, or 250 GB/s, about the whole bandwidth of a socket. Two things reduce it. Slots of 8
//!   MiB, four for each direction, are small enough to stay in the last-level cache, from which the GPU reads and to which it writes: 1.2
//!   GB remain. And stores that bypass the cache (*streaming* stores) write an array without reading it first, which would be another 0.4
//!   GB.
//! * **Page faults**: the 400 MB of a fresh `Vec` are 98,000 pages of 4 KiB, which take 235 ms to fault in one by one (1.7 GB/s, measured).
//!   As 191 huge pages, they take one fault each, and the time to clear them: 40 ms on one core, 7 ms on sixteen. So a vector for the
//!   result requests huge pages ([`uninitialised_vec`](crate::backend::pages::uninitialised_vec)), and the threads populate its pages while
//!   their chunk is still in flight. A thread that touches a huge page which another thread is clearing clears one too, and drops it. So
//!   each page is populated for one chunk ([`plan`]), and a chunk is drained when its pages exist: 17.9 ms instead of 20.2 (an H200's host
//!   with 16 cores, 2026-11-24).
//! * **Pinning** memory takes longer than copying it, so the slots are kept for the next call: about 64 MiB at most for each GPU.
//! * **Driver calls**: nine for each chunk, which is on the bus for 152 µs, and the queries whether it is done.
//!
//! Small arrays do not use the pipeline: the driver copies up to a megabyte from pageable memory in about 100 µs, the time to start threads
//! and to fill and drain a pipeline ([`direct`]).
//!
//! # Several threads at once
//!
//! One call at a time uses the slots and copy streams of a GPU; others wait. They would share the bus anyway.

mod copy;
mod crew;
mod direct;
mod engine;
#[cfg(test)]
mod gpu_tests;
mod lanes;
#[cfg(test)]
mod model;
mod pinned;
mod plan;
#[cfg(test)]
mod tests;
mod transfer;

pub(super) use self::pinned::Pinned;
use std::marker::PhantomData;
use std::mem::MaybeUninit;
use std::sync::PoisonError;

use super::memory::Address;
use super::{Queue, Usage};
use crate::Result;
use crate::observe::{self, Activity};
use crate::source::DeviceType;

pub(super) use lanes::Lanes;
use plan::Plan;
pub use plan::Settings;
pub(crate) use transfer::{download, upload};

/// An array of the host that is streamed to the GPU.
#[derive(Clone, Copy)]
pub(crate) struct HostInput<'a> {
    bytes: *const u8,
    element_size: usize,
    elements: PhantomData<&'a [u8]>,
}

/// An array of the host that is written with what comes from the GPU.
pub(crate) struct HostOutput<'a> {
    bytes: *mut u8,
    element_size: usize,
    /// Whether its pages may not exist yet.
    fresh: bool,
    elements: PhantomData<&'a mut [u8]>,
}

impl<'a> HostInput<'a> {
    pub(crate) fn new<T: DeviceType>(host: &'a [T]) -> Self {
        Self { bytes: host.as_ptr().cast(), element_size: size_of::<T>(), elements: PhantomData }
    }

    /// The elements of that size from an address on. Whoever streams them guarantees them.
    pub(crate) fn from_raw(bytes: *const u8, element_size: usize) -> Self {
        Self { bytes, element_size, elements: PhantomData }
    }
}

impl<'a> HostOutput<'a> {
    /// An array that holds values already.
    pub(crate) fn new<T: DeviceType>(host: &'a mut [T]) -> Self {
        Self { bytes: host.as_mut_ptr().cast(), element_size: size_of::<T>(), fresh: false, elements: PhantomData }
    }

    /// An array that does not, such as the spare capacity of [`uninitialised_vec`](crate::backend::pages::uninitialised_vec).
    pub(crate) fn uninitialised<T: DeviceType>(host: &'a mut [MaybeUninit<T>]) -> Self {
        Self { bytes: host.as_mut_ptr().cast(), element_size: size_of::<T>(), fresh: true, elements: PhantomData }
    }

    /// The elements of that size from an address on. Whoever streams them guarantees them. `fresh`: they hold no values yet.
    pub(crate) fn from_raw(bytes: *mut u8, element_size: usize, fresh: bool) -> Self {
        Self { bytes, element_size, fresh, elements: PhantomData }
    }
}

/// Consecutive elements of every array, in device memory.
pub(crate) struct Chunk<'c> {
    /// The index of its first element in the host arrays.
    pub(crate) first: usize,
    /// How many elements it has, at least one.
    pub(crate) len: usize,
    /// Where those of each input are.
    pub(crate) inputs: &'c [Address],
    /// Where those of each output go.
    pub(crate) outputs: &'c [Address],
    /// Who uses the slots, from now on: events order them with the copies.
    pub(crate) usage: &'c Usage,
}

/// Streams `len` elements of every input to `queue`, and of every output back; returns when all of it is done.
///
/// `launch` is called for one chunk after the other, in order, on this thread, and launches on `queue` whatever turns the
/// chunk's inputs into its outputs. It must not stream anything through the same GPU itself, which would wait for this call.
/// It is not called where `len` is 0, and once where there are no arrays.
///
/// An output's elements that no kernel writes become some values of its type.
///
/// # Errors
///
/// The first error of `launch`, after which no other chunk is launched; [`OutOfMemory`](crate::Error::OutOfMemory) for the
/// slots; and [`KernelFailed`](crate::Error::KernelFailed) if a kernel failed, once, after the last chunk. Outputs may then
/// have been written in part.
///
/// # Safety
///
/// Every array must have `len` elements, and no output overlap with another array.
pub(crate) unsafe fn stream_through(
    queue: &'static Queue,
    len: usize,
    inputs: &[HostInput<'_>],
    outputs: &[HostOutput<'_>],
    launch: &mut dyn FnMut(Chunk<'_>) -> Result<()>,
) -> Result<()> {
    // SAFETY: the caller guarantees the same.
    unsafe { stream_through_with(Settings::default(), queue, len, inputs, outputs, launch) }
}

/// [`stream_through`] with other settings than the default ones.
///
/// # Safety
///
/// As for [`stream_through`].
pub(crate) unsafe fn stream_through_with(
    settings: Settings,
    queue: &'static Queue,
    len: usize,
    inputs: &[HostInput<'_>],
    outputs: &[HostOutput<'_>],
    launch: &mut dyn FnMut(Chunk<'_>) -> Result<()>,
) -> Result<()> {
    // SAFETY: the caller guarantees the same.
    unsafe { stream(settings, queue, len, inputs, outputs, launch)? };
    queue.synchronize()
}

/// [`stream_through_with`], without the report of a failed kernel.
///
/// # Safety
///
/// As for [`stream_through`].
unsafe fn stream(
    settings: Settings,
    queue: &'static Queue,
    len: usize,
    inputs: &[HostInput<'_>],
    outputs: &[HostOutput<'_>],
    launch: &mut dyn FnMut(Chunk<'_>) -> Result<()>,
) -> Result<()> {
    if len == 0 {
        return Ok(());
    }
    let sizes = (inputs.iter().map(|input| input.element_size), outputs.iter().map(|output| output.element_size));
    let plan = Plan::new(len, sizes.0, sizes.1, &settings);
    let _observed = observe::begin(Activity::Copy, "through the device", plan.bytes() as u64);
    if settings.are_short(plan.bytes()) {
        // SAFETY: the caller guarantees the arrays, which the plan is made for.
        return unsafe { direct::run(queue, &plan.in_one_chunk(), inputs, outputs, launch) };
    }
    // A panic of an earlier `launch` left everything idle.
    let mut lanes = queue.gpu().lanes.lock().unwrap_or_else(PoisonError::into_inner);
    let lanes = lanes.prepare(queue, &plan)?;
    let memory = lanes.allocate(&plan)?;
    // SAFETY: the slots are as the plan wants them, and the lock keeps others from them. The caller guarantees the arrays.
    let streamed = unsafe { engine::run(&lanes, &plan, &settings, memory.slots(), inputs, outputs, launch) };
    drop(memory);
    streamed
}
