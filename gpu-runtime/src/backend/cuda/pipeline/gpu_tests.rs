//! On a real GPU.

use std::mem::MaybeUninit;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;

use super::{Chunk, HostInput, HostOutput, Settings, stream_through, stream_through_with};
use crate::backend::cuda::Queue;
use crate::backend::pages::uninitialised_vec;
use crate::device::Device;
use crate::prelude::*;
use crate::source::Element;
use crate::{Error, Result};

#[gpu_kernel]
fn add_doubled(x: &[f32], y: &[i64], out: &mut [f64]) {
    let i = grid_1d();
    if i < out.len() {
        out[i] = f64::from(x[i]) + 2.0 * (y[i] as f64);
    }
}

#[gpu_kernel]
fn count_up(first: u64, out: &mut [u8]) {
    let i = grid_1d();
    if i < out.len() {
        out[i] = (first + i as u64) as u8;
    }
}

#[gpu_kernel]
fn fail_at(element: usize, first: usize, out: &mut [u8]) {
    let i = grid_1d();
    if i < out.len() {
        assert!(first + i != element);
        out[i] = 1;
    }
}

/// The first GPU. Without one the test says that it was skipped, or fails where `GPU_RUNTIME_REQUIRE=cuda` asks for a GPU.
///
/// One test at a time has it: a failed kernel is reported to whoever waits next.
fn gpu_or_skip(test: &str) -> Option<(Device, &'static Queue, MutexGuard<'static, ()>)> {
    static ALONE: Mutex<()> = Mutex::new(());

    match Device::gpu(0) {
        Ok(device) => {
            let queue = device.queue().dispatch(|| unreachable!("`Device::gpu` gives a GPU"), |queue| queue);
            Some((device, queue, ALONE.lock().unwrap_or_else(PoisonError::into_inner)))
        }
        Err(error) if std::env::var("GPU_RUNTIME_REQUIRE").is_ok_and(|required| required.contains("cuda")) => {
            panic!("{test} needs a GPU: {error}")
        }
        Err(error) => {
            eprintln!("skipped {test}: {error}");
            None
        }
    }
}

/// Chunks of 65,536 elements of 8 bytes, always through slots.
fn small_chunks() -> Settings {
    Settings { chunk_bytes: 1 << 19, short_bytes: 0, ..Settings::default() }
}

/// A result of `len` elements of which every one is written by `stream`.
fn collect<T: Element>(len: usize, stream: impl FnOnce(&mut [MaybeUninit<T>]) -> Result<()>) -> Result<Vec<T>> {
    let mut host = uninitialised_vec(len);
    stream(&mut host.spare_capacity_mut()[..len])?;
    // SAFETY: streaming has written every element.
    unsafe { host.set_len(len) };
    Ok(host)
}

fn add(device: &Device, queue: &'static Queue, settings: Settings, x: &[f32], y: &[i64]) -> Result<Vec<f64>> {
    collect(x.len(), |out| {
        let mut launch = |chunk: Chunk<'_>| {
            // SAFETY: these are the types of the arrays below, on this device.
            let (x, y, out) = unsafe { (chunk.input(device, 0), chunk.input(device, 1), chunk.output(device, 0)) };
            add_doubled(x, y, out).forall(chunk.len)
        };
        let (inputs, outputs) = ([HostInput::new(x), HostInput::new(y)], [HostOutput::uninitialised(out)]);
        // SAFETY: the arrays are as long as `x` and do not overlap.
        unsafe { stream_through_with(settings, queue, x.len(), &inputs, &outputs, &mut launch) }
    })
}

fn check_sum(device: &Device, queue: &'static Queue, settings: Settings, len: usize) {
    let x: Vec<f32> = (0..len).map(|i| (i % 4096) as f32).collect();
    let y: Vec<i64> = (0..len).map(|i| i as i64).collect();
    let sum = add(device, queue, settings, &x, &y).unwrap();
    assert!(sum.len() == len && sum.iter().enumerate().all(|(i, &sum)| sum == (i % 4096) as f64 + 2.0 * i as f64), "{len} elements");
}

#[test]
fn sums_of_many_lengths_are_right() {
    let Some((device, queue, _alone)) = gpu_or_skip("sums_of_many_lengths_are_right") else { return };
    for len in [0, 1, 1023, 50_000, 65_535, 65_536, 65_537, 262_144, 262_145, 1_000_003, 5_000_000] {
        check_sum(&device, queue, small_chunks(), len);
        check_sum(&device, queue, Settings { streaming_fill: true, workers: Some(0), ..small_chunks() }, len);
        check_sum(&device, queue, Settings::default(), len);
    }
}

#[test]
fn an_output_needs_no_input() {
    let Some((device, queue, _alone)) = gpu_or_skip("an_output_needs_no_input") else { return };
    let len = 20_000_001;
    let mut bytes = vec![0u8; len];
    let mut launch = |chunk: Chunk<'_>| {
        // SAFETY: the only output is one of bytes.
        count_up(chunk.first as u64, unsafe { chunk.output(&device, 0) }).forall(chunk.len)
    };
    // SAFETY: the array has that many elements.
    unsafe { stream_through(queue, len, &[], &[HostOutput::new(&mut bytes)], &mut launch) }.unwrap();
    assert!(bytes.iter().enumerate().all(|(i, &byte)| byte == i as u8));
}

#[test]
fn an_input_needs_no_output() {
    let Some((device, queue, _alone)) = gpu_or_skip("an_input_needs_no_output") else { return };
    let x = vec![3u8; 10_000_001];
    let mut copy = device.zeros::<u8>(x.len()).unwrap();
    let mut launch = |chunk: Chunk<'_>| {
        // SAFETY: the only input is one of bytes.
        let x = unsafe { chunk.input::<u8>(&device, 0) };
        widen(x, copy.slice_mut(chunk.first..chunk.first + chunk.len)).forall(chunk.len)
    };
    // SAFETY: the array has that many elements.
    unsafe { stream_through(queue, x.len(), &[HostInput::new(&x)], &[], &mut launch) }.unwrap();
    assert_eq!(copy.to_host().unwrap(), x);
}

#[gpu_kernel]
fn widen(x: &[u8], out: &mut [u8]) {
    let i = grid_1d();
    if i < out.len() {
        out[i] = x[i];
    }
}

#[test]
fn a_failed_kernel_is_reported_once_and_the_next_call_works() {
    let Some((device, queue, _alone)) = gpu_or_skip("a_failed_kernel_is_reported_once_and_the_next_call_works") else { return };
    for (len, element) in [(1000, 500), (9_000_000, 4_000_000)] {
        let mut bytes = vec![0u8; len];
        let mut launch = |chunk: Chunk<'_>| {
            // SAFETY: the only output is one of bytes.
            fail_at(element, chunk.first, unsafe { chunk.output(&device, 0) }).forall(chunk.len)
        };
        // SAFETY: the array has that many elements.
        let outcome = unsafe { stream_through(queue, len, &[], &[HostOutput::new(&mut bytes)], &mut launch) };
        assert!(matches!(outcome, Err(Error::KernelFailed(_))), "{outcome:?}");
        device.synchronize().unwrap();
        check_sum(&device, queue, small_chunks(), 300_000);
    }
}

#[test]
fn an_error_or_a_panic_of_a_launch_leaves_the_gpu_usable() {
    let Some((device, queue, _alone)) = gpu_or_skip("an_error_or_a_panic_of_a_launch_leaves_the_gpu_usable") else { return };
    let x = vec![1u8; 3_000_000];
    for settings in [small_chunks(), Settings { short_bytes: usize::MAX, ..small_chunks() }] {
        let stream = |launch: &mut dyn FnMut(Chunk<'_>) -> Result<()>| {
            // SAFETY: the array has that many elements.
            unsafe { stream_through_with(settings, queue, x.len(), &[HostInput::new(&x)], &[], launch) }
        };
        let mut launches = 0;
        let outcome = stream(&mut |chunk| {
            launches += 1;
            if chunk.first + chunk.len > 1_000_000 { Err(Error::NoGpu) } else { Ok(()) }
        });
        assert!(matches!(outcome, Err(Error::NoGpu)) && launches > 0);
        catch_unwind(AssertUnwindSafe(|| stream(&mut |_| panic!("of the test")))).unwrap_err();
        check_sum(&device, queue, small_chunks(), 300_000);
    }
}

#[test]
fn several_threads_stream_through_one_gpu() {
    let Some((device, queue, _alone)) = gpu_or_skip("several_threads_stream_through_one_gpu") else { return };
    thread::scope(|scope| {
        for thread in 0..4 {
            let device = &device;
            scope.spawn(move || {
                for round in 0..5 {
                    check_sum(device, queue, small_chunks(), 400_000 + 1000 * thread + round);
                }
            });
        }
    });
}

#[test]
fn slots_are_kept_for_the_next_call() {
    let Some((device, queue, _alone)) = gpu_or_skip("slots_are_kept_for_the_next_call") else { return };
    check_sum(&device, queue, Settings::default(), 20_000_000);
    let staged = || queue.gpu().lanes.lock().unwrap_or_else(PoisonError::into_inner).staged();
    let before = staged();
    check_sum(&device, queue, small_chunks(), 1_000_000);
    check_sum(&device, queue, Settings::default(), 20_000_000);
    assert_eq!(staged(), before);
}
