//! Launches of kernels in which the threads of the grid wait for each other: how large they may be, and what happens beside them.

// One kernel is compiled and never launched.
#![allow(dead_code)]

use std::sync::atomic::{AtomicU32, Ordering};

use gpu_runtime::{Error, prelude::*};
use gpu_tests::require::{gpu_or_skip, has_nvrtc};

/// The CPU, and the first GPU if there is one.
fn devices(test: &str) -> Vec<Device> {
    std::iter::once(Device::cpu()).chain(gpu_or_skip(test)).collect()
}

/// How many threads the grid has, as each of them sees after the barrier.
#[gpu_kernel]
fn attendance(here: &[AtomicU32], out: &mut [u32]) {
    let i = grid_1d();
    here[0].fetch_add(1, Ordering::Relaxed);
    sync_grid();
    if i < out.len() {
        out[i] = here[0].load(Ordering::Relaxed);
    }
}

#[gpu_device]
async fn meet_all() {
    sync_grid();
}

#[gpu_device]
async fn meet_through_others<T: Num>(value: T) -> T {
    meet_all().await;
    value
}

/// The barrier is two calls away, one of them generic.
#[gpu_kernel]
fn attendance_of_callees(here: &[AtomicU32], out: &mut [u32]) {
    let i = grid_1d();
    here[0].fetch_add(1, Ordering::Relaxed);
    let one = meet_through_others(1u32).await;
    if i < out.len() {
        out[i] = here[0].load(Ordering::Relaxed) * one;
    }
}

#[gpu_device]
async fn sum_of_warp(value: u32) -> u32 {
    warp_sum(value)
}

/// Only what it calls waits, and its first statement is arithmetic.
#[gpu_kernel(block = 64)]
fn sums_of_warps(x: &[u32], out: &mut [u32]) {
    let warp = block_idx().x * 2 + warp_id();
    let sum: u32 = sum_of_warp(if grid_1d() < x.len() { x[grid_1d()] } else { 0 }).await;
    if lane_id() == 0 && warp < out.len() {
        out[warp] = sum;
    }
}

#[test]
fn a_kernel_waits_in_what_it_calls_alone() {
    for device in devices("a_kernel_waits_in_what_it_calls_alone") {
        let x = device.to_device(&[1; 128]).unwrap();
        let mut out = device.zeros::<u32>(4).unwrap();
        sums_of_warps(&x, &mut out).launch(2, 64).unwrap();
        assert_eq!(out.to_host().unwrap(), [32; 4], "{device}");
    }
}

#[test]
fn as_many_blocks_meet_as_are_resident() {
    for device in devices("as_many_blocks_meet_as_are_resident") {
        for block in [32, 256, 1024] {
            let most = attendance::handle().max_resident_blocks(&device, block).unwrap();
            assert!((1..1 << 20).contains(&most), "{most} blocks of {block} on {device}");
            let mut here = device.zeros::<u32>(1).unwrap();
            let mut out = device.zeros::<u32>(1000).unwrap();
            // A safe launch: no thread reads what another writes, but for the atomic.
            attendance(&mut here, &mut out).launch(most, block).unwrap();
            let threads = (most * block as usize) as u32;
            assert!(out.to_host().unwrap().iter().take(threads as usize).all(|seen| *seen == threads), "{most} blocks of {block}");
        }
    }
}

/// Every block waits for all others, without `sync_grid()`. The first ones have nothing else to do.
#[gpu_kernel]
fn gathering(arrived: &[AtomicU32], early: usize) {
    let block = block_idx().x;
    if thread_idx().x == 0 && block >= early {
        arrived[0].fetch_add(1, Ordering::AcqRel);
        while (arrived[0].load(Ordering::Acquire) as usize) < grid_dim().x - early {
            std::hint::spin_loop();
        }
    }
}

#[test]
fn as_many_blocks_wait_for_each_other_as_are_resident() {
    for device in devices("as_many_blocks_wait_for_each_other_as_are_resident") {
        for block in [1, 64, 1024] {
            let most = gathering::handle().max_resident_blocks(&device, block).unwrap();
            assert!(device.is_gpu() || most <= rayon_threads().max(1), "{most} blocks of {block} on {device}");
            for early in (0..most).step_by(most.div_ceil(4)) {
                let mut arrived = device.zeros::<u32>(1).unwrap();
                gathering(&mut arrived, early).launch(most, block).unwrap();
                assert_eq!(arrived.to_host().unwrap(), [(most - early) as u32], "{early} of {most} blocks of {block}");
            }
        }
    }
}

/// As many as rayon starts by default.
fn rayon_threads() -> usize {
    let wanted = std::env::var("RAYON_NUM_THREADS").ok().and_then(|threads| threads.parse().ok()).filter(|&threads: &usize| threads > 0);
    wanted.unwrap_or_else(|| std::thread::available_parallelism().map_or(1, usize::from))
}

#[test]
fn a_grid_that_is_not_resident_is_refused_with_the_numbers() {
    for device in devices("a_grid_that_is_not_resident_is_refused_with_the_numbers") {
        let most = attendance::handle().max_resident_blocks(&device, 128).unwrap();
        let mut here = device.zeros::<u32>(1).unwrap();
        let mut out = device.zeros::<u32>(10).unwrap();
        // The query is the least that every form of the kernel has; one form may have more.
        let blocks = 4 * most;
        let error = attendance(&mut here, &mut out).launch(blocks, 128).unwrap_err();
        let Error::GridNotResident { kernel: "attendance", blocks: found, most: limit, .. } = error else { panic!("{error:?}") };
        assert_eq!(found, blocks as u64);
        assert!((most as u64..found).contains(&limit), "{limit}");
        let message = error.to_string();
        for part in [
            "`attendance`",
            &blocks.to_string(),
            &limit.to_string(),
            "blocks of 128",
            "attendance::handle().max_resident_blocks",
            "grid_stride",
        ] {
            assert!(message.contains(part), "{part}: {message}");
        }
        assert_eq!(here.to_host().unwrap(), [0], "nothing has run");

        let error = attendance(&mut here, &mut out).forall(1usize << 40).unwrap_err();
        assert!(matches!(error, Error::GridNotResident { .. } | Error::GridOutOfRange { .. }), "{error:?}");
        let error = attendance(&mut here, &mut out).forall(1 << 26).unwrap_err();
        assert!(matches!(error, Error::GridNotResident { .. }), "{error:?}");
    }
}

#[test]
fn a_barrier_in_a_callee_makes_a_kernel_cooperative() {
    for device in devices("a_barrier_in_a_callee_makes_a_kernel_cooperative") {
        let mut here = device.zeros::<u32>(1).unwrap();
        let mut out = device.zeros::<u32>(300).unwrap();
        attendance_of_callees(&mut here, &mut out).launch(5, 60).unwrap();
        assert_eq!(out.to_host().unwrap(), [300; 300]);
        let error = attendance_of_callees(&mut here, &mut out).launch(1 << 20, 256).unwrap_err();
        assert!(matches!(error, Error::GridNotResident { .. }), "{error:?}");
    }
}

#[test]
fn forall_takes_a_grid_that_fits() {
    for device in devices("forall_takes_a_grid_that_fits") {
        let mut here = device.zeros::<u32>(1).unwrap();
        let mut out = device.zeros::<u32>(3000).unwrap();
        attendance(&mut here, &mut out).forall(3000).unwrap();
        let seen = out.to_host().unwrap();
        assert!(seen[0] >= 3000 && seen.iter().all(|threads| *threads == seen[0]), "{}", seen[0]);
    }
}

#[test]
fn the_shape_of_a_block_that_no_device_runs_has_no_residency() {
    let error = attendance::handle().max_resident_blocks(&Device::cpu(), 2000).unwrap_err();
    assert!(matches!(error, Error::BlockOutOfRange { .. }), "{error:?}");
}

/// Moves each element to its neighbour, `rounds` times.
#[gpu_kernel]
fn rotate(x: &mut [u32], rounds: usize) {
    let i = grid_1d();
    let n = x.len();
    for _ in 0..rounds {
        let next = x[(i + 1) % n];
        sync_grid();
        x[i] = next;
        sync_grid();
    }
}

#[test]
fn host_threads_launch_at_the_same_time() {
    for device in devices("host_threads_launch_at_the_same_time") {
        let run = |blocks: usize| {
            let n = blocks * 32;
            for rounds in 0..40 {
                let mut x = device.to_device(&(0..n as u32).collect::<Vec<_>>()).unwrap();
                // SAFETY: a barrier lies between every write and the other threads' reads.
                unsafe { rotate(&mut x, rounds).launch_unchecked(blocks, 32).unwrap() };
                let expected: Vec<u32> = (0..n).map(|i| ((i + rounds) % n) as u32).collect();
                assert_eq!(x.to_host().unwrap(), expected, "{blocks} blocks, {rounds} rounds");
            }
        };
        std::thread::scope(|scope| {
            for blocks in [1, 2, 3, 5] {
                scope.spawn(move || run(blocks));
            }
        });
    }
}

/// A thread fails while its launch has others queued behind it: those run to their ends.
#[gpu_kernel]
fn fail_if(x: &mut [u32], at: usize) {
    let i = grid_1d();
    sync_grid();
    assert!(i != at, "told to");
    sync_grid();
    x[i] += 1;
}

#[test]
fn launches_after_a_failure_start_anew() {
    for device in devices("launches_after_a_failure_start_anew") {
        let mut x = device.zeros::<u32>(128).unwrap();
        fail_if(&mut x, 70).launch(4, 32).unwrap();
        fail_if(&mut x, 1000).launch(4, 32).unwrap();
        let error = device.synchronize().unwrap_err();
        let Error::KernelFailed(failure) = error else { panic!("{error:?}") };
        assert_eq!((failure.kernel, failure.block, failure.thread), ("fail_if", [2, 0, 0], [6, 0, 0]));
        assert_eq!(x.to_host().unwrap(), [1; 128]);
    }
}

/// What the thread has read before the barrier may be another's since.
#[gpu_kernel]
fn read_twice(x: &mut [f32], out: &mut [f32]) {
    let i = grid_1d();
    let before = x[i + 1];
    x[i] = before + 1.0;
    sync_threads();
    out[i] = before + x[i + 1];
}

#[test]
fn an_element_is_read_again_after_a_barrier() {
    if !has_nvrtc("an_element_is_read_again_after_a_barrier") {
        return;
    }
    let ptx = read_twice::handle().ptx("sm_90").unwrap();
    let (_, after) = ptx.split_once("bar.sync").or_else(|| ptx.split_once("barrier.sync")).expect("a barrier");
    assert!(after.contains("ld.global.f32") || after.contains("ld.f32"), "{ptx}");
}
