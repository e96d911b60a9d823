//! The CPU backend, driven by twins written by hand in the shape that the macros generate.

#![allow(clippy::needless_borrows_for_generic_args, reason = "twins borrow where the user did")]

use std::collections::HashSet;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering::Relaxed};
use std::thread;
use std::time::{Duration, Instant};

use gpu_runtime::__private::{
    ArgumentBinder, Arguments, Blocks, IntoSlice, IntoSliceMut, KernelDefinition, KernelMeta, ProvedFor, SharedSliceMut, SiteKind, Sites,
    SliceMut, Stop, Thread, on_host, ops,
};
use gpu_runtime::prelude::*;
use gpu_runtime::{Error, FailureCause, KernelFailure, Launch};

/// Arguments of any type. They lie in no device's memory, so there is nothing to bind.
struct Given<T>(T);

impl<T: Sync> Arguments for Given<T> {
    type Host = ();
    fn bind<'l>(&self, _: &mut ArgumentBinder<'l>)
    where
        Self: 'l,
    {
    }
    unsafe fn host(&self) {}
}

/// Defines a kernel for the CPU alone: its arguments, and how it runs blocks.
macro_rules! kernel {
    ($name:ident($arguments:ident: $Arguments:ty), |$blocks:ident| $run:expr) => {
        struct $name;

        // SAFETY: source and twin take the arguments that are given, and check their indices.
        unsafe impl KernelDefinition for $name {
            type Args<'a> = Given<$Arguments>;
            const META: &'static KernelMeta = &KernelMeta {
                name: stringify!($name),
                proved_for: ProvedFor { grid_axes: 3, block_axes: 3 },
                // These kernels run on the CPU only.
                ..KernelMeta::NONE
            };
            fn run_blocks(Given($arguments): &Self::Args<'_>, $blocks: Blocks<'_>) -> Result<(), Stop> {
                $run
            }
        }
    };
}

/// The table of a function with one failure site, at a line, which is how the tests tell sites apart.
macro_rules! site {
    ($kind:expr, $line:literal) => {{
        static SITES: Sites = Sites::new("kernel.rs", concat!($line, ":9k0"), &[$kind]);
        &SITES
    }};
}

/// Runs a kernel and gives its failure.
fn launch<K: KernelDefinition>(arguments: K::Args<'_>, grid: [u32; 3], block: [u32; 3]) -> Result<(), KernelFailure> {
    // A device of its own, to see only this launch's failure; leaked, so that it lives as long as any arguments.
    let device = Box::leak(Box::new(Device::cpu()));
    // SAFETY: the kernels below share atomics, or write elements that no other thread uses.
    unsafe { Launch::<K>::new(arguments).on_device(device).launch_unchecked(grid, block) }.expect("the launch is well-formed");
    match device.synchronize() {
        Ok(()) => Ok(()),
        Err(Error::KernelFailed(failure)) => Err(*failure),
        Err(other) => panic!("{other}"),
    }
}

fn counters(count: usize) -> Vec<AtomicU32> {
    (0..count).map(|_| AtomicU32::new(0)).collect()
}

fn values(counters: &[AtomicU32]) -> Vec<u32> {
    counters.iter().map(|counter| counter.load(Relaxed)).collect()
}

kernel!(CountVisits(visits: &'a [AtomicU32]), |blocks| {
    let visits = *visits;
    blocks.for_each_thread(|thread| {
        let (x, y, z) = grid_3d::__intrinsic(thread);
        let (grid, block) = (grid_dim::__intrinsic(thread), block_dim::__intrinsic(thread));
        let (width, height) = (grid.x * block.x, grid.y * block.y);
        let i = thread.in_function(site!(SiteKind::Index, 1)).index((z * height + y) * width + x, visits.len(), 0)?;
        visits[i].fetch_add(1, Relaxed);
        Ok(())
    })
});

#[test]
fn every_thread_of_a_three_dimensional_grid_runs_once() {
    for (grid, block) in
        [([3, 4, 5], [2, 3, 4]), ([1, 1, 1], [1, 1, 1]), ([1, 1, 7], [32, 1, 2]), ([70, 3, 2], [8, 8, 2]), ([3000, 1, 1], [1, 1, 1])]
    {
        let threads = grid.iter().chain(&block).product::<u32>();
        let visits = counters(threads as usize);
        launch::<CountVisits>(Given(&visits), grid, block).unwrap();
        assert!(values(&visits).iter().all(|&visited| visited == 1), "grid {grid:?}, block {block:?}");
    }
}

kernel!(CoordinatesAgree(seen: &'a Mutex<HashSet<[usize; 6]>>), |blocks| {
    blocks.for_each_thread_async(|thread| async move {
        let before = (thread_idx::__intrinsic(&thread), block_idx::__intrinsic(&thread), grid_2d::__intrinsic(&thread));
        sync_threads::__intrinsic(&thread.in_function(site!(SiteKind::Barrier, 1)), 0).await;
        let (t, b) = (thread_idx::__intrinsic(&thread), block_idx::__intrinsic(&thread));
        assert_eq!(before, (t, b, (b.x * 4 + t.x, b.y * 3 + t.y)));
        assert_eq!(grid_1d::__intrinsic(&thread), before.2.0);
        assert!(seen.lock().unwrap().insert([b.x, b.y, b.z, t.x, t.y, t.z]));
        Ok(())
    })
});

#[test]
fn coordinates_are_the_same_before_and_after_a_barrier() {
    let seen = Mutex::new(HashSet::new());
    launch::<CoordinatesAgree>(Given(&seen), [5, 2, 3], [4, 3, 2]).unwrap();
    assert_eq!(seen.into_inner().unwrap().len(), 5 * 2 * 3 * 4 * 3 * 2);
}

kernel!(Stride(arguments: (usize, &'a [AtomicU32])), |blocks| {
    let (n, visits) = *arguments;
    blocks.for_each_thread(|thread| {
        for i in grid_stride::__intrinsic(thread, n) {
            visits[i].fetch_add(1, Relaxed);
        }
        Ok(())
    })
});

#[test]
fn grid_stride_visits_every_number_once_whatever_the_grid() {
    for (n, grid, block) in [(1000, 3, 7), (5, 4, 32), (0, 1, 1), (64, 1, 64)] {
        let visits = counters(n);
        launch::<Stride>(Given((n, &visits)), [grid, 1, 1], [block, 1, 1]).unwrap();
        assert!(values(&visits).iter().all(|&visited| visited == 1), "{n} numbers, {grid} blocks of {block}");
    }
}

kernel!(IndexPastTheEnd(len: usize), |blocks| {
    let len = *len;
    blocks.for_each_thread(|thread| {
        thread.in_function(site!(SiteKind::Index, 12)).index(grid_1d::__intrinsic(thread), len, 0)?;
        Ok(())
    })
});

#[test]
fn a_failed_index_reports_place_numbers_and_thread() {
    let failure = launch::<IndexPastTheEnd>(Given(70), [2, 1, 1], [64, 1, 1]).unwrap_err();
    assert_eq!((failure.kernel, failure.file, failure.line, failure.column), ("IndexPastTheEnd", "kernel.rs", 12, 9));
    assert_eq!(failure.cause, FailureCause::IndexOutOfBounds { index: 70, len: 70 });
    assert_eq!((failure.block, failure.thread), ([1, 0, 0], [6, 0, 0]));
    assert!(failure.to_string().contains("index 70 is out of bounds for length 70"), "{failure}");
}

kernel!(VisitInLines(arguments: (usize, &'a [AtomicU32])), |blocks| {
    let (limit, visits) = *arguments;
    blocks.lines().for_each_thread_below(Some(limit), |thread| {
        let i = thread.in_function(site!(SiteKind::Index, 1)).index(grid_1d::__intrinsic(thread), visits.len(), 0)?;
        visits[i].fetch_add(1, Relaxed);
        Ok(())
    })
});

#[test]
fn lines_visit_every_thread_below_the_limit_once() {
    for (limit, grid, block) in [(70, 2, 64), (100_000, 100_000, 1), (99_999, 391, 256), (5, 3, 1024), (0, 1, 32), (65_536, 64, 1024)] {
        let visits = counters(limit);
        launch::<VisitInLines>(Given((limit, &visits)), [grid, 1, 1], [block, 1, 1]).unwrap();
        assert!(values(&visits).iter().all(|&visited| visited == 1), "{limit} threads, {grid} blocks of {block}");
    }
    let visits = counters(6);
    launch::<VisitInLines>(Given((6, &visits)), [2, 3, 2], [3, 1, 5]).unwrap();
    assert_eq!(values(&visits), [30; 6], "lines of a launch with more axes");
}

#[test]
fn a_thread_of_a_line_fails_in_its_own_block() {
    let visits = counters(5000);
    let failure = launch::<VisitInLines>(Given((usize::MAX, &visits)), [40, 1, 1], [128, 1, 1]).unwrap_err();
    assert_eq!(failure.cause, FailureCause::IndexOutOfBounds { index: 5000, len: 5000 });
    assert_eq!((failure.block, failure.thread), ([39, 0, 0], [8, 0, 0]));
}

kernel!(FailLate(started: &'a AtomicU32), |blocks| {
    let started = *started;
    blocks.for_each_thread(|thread| {
        started.fetch_add(1, Relaxed);
        thread.in_function(site!(SiteKind::Assert("the block is not 3"), 1)).assert(block_idx::__intrinsic(thread).x != 3, 0)
    })
});

#[test]
fn after_a_failure_blocks_that_have_not_begun_are_skipped() {
    let started = AtomicU32::new(0);
    let blocks = 10_000_000;
    let failure = launch::<FailLate>(Given(&started), [blocks, 1, 1], [1, 1, 1]).unwrap_err();
    assert_eq!(failure.cause, FailureCause::Assertion { message: "the block is not 3" });
    assert!(started.load(Relaxed) < blocks, "all blocks ran");
}

kernel!(Divide(arguments: (i32, i32)), |blocks| {
    let (a, b) = *arguments;
    blocks.for_each_thread(|thread| ops::div(&thread.in_function(site!(SiteKind::Division, 1)), a, b, 0).map(drop))
});

#[test]
fn integer_division_fails_for_a_zero_divisor_and_for_an_overflow() {
    let cause = |a, b| launch::<Divide>(Given((a, b)), [1; 3], [1; 3]).map_err(|failure| failure.cause);
    assert_eq!(cause(1, 0), Err(FailureCause::DivisionByZero));
    assert_eq!(cause(i32::MIN, -1), Err(FailureCause::DivisionOverflow));
    assert_eq!(cause(i32::MIN, 1), Ok(()));
}

/// Sums each block's elements by halving, with the early return of threads that lie past the end where `early` is set.
async fn block_sum(thread: Thread<'_>, x: &[f64], mut out: SliceMut<'_, f64>, early: bool) -> Result<(), Stop> {
    let thread = &thread;
    // SAFETY: references to elements last for one statement.
    let mut tile = unsafe { shared::__intrinsic::<[f64; 64]>(thread, 0) };
    let (t, i) = (thread_idx::__intrinsic(thread).x, grid_1d::__intrinsic(thread));
    if early && i >= x.len() {
        return Ok(());
    }
    tile[t] = if i < x.len() { x[i] } else { 0.0 };
    sync_threads::__intrinsic(&thread.in_function(site!(SiteKind::Barrier, 1)), 0).await;
    let mut stride = 32;
    while stride > 0 {
        // A thread that returned early left its element unwritten.
        if t < stride && (!early || i + stride < x.len()) {
            let other = tile[t + stride];
            tile[t] += other;
        }
        sync_threads::__intrinsic(&thread.in_function(site!(SiteKind::Barrier, 2)), 0).await;
        stride /= 2;
    }
    if t == 0 {
        out[block_idx::__intrinsic(thread).x] = tile[0];
    }
    Ok(())
}

kernel!(BlockSum(arguments: (&'a [f64], SharedSliceMut<'a, f64>, bool)), |blocks| {
    let (x, out, early) = *arguments;
    // SAFETY: one thread of each block writes, to its block's element.
    blocks.for_each_thread_async(|thread| block_sum(thread, x, unsafe { out.of_thread() }, early))
});

#[test]
fn threads_of_a_block_exchange_values_through_shared_memory() {
    let x: Vec<f64> = (0..10_000).map(f64::from).collect();
    let mut out = vec![0.0; 157];
    launch::<BlockSum>(Given((&x, SharedSliceMut::from(&mut out[..]), false)), [157, 1, 1], [64, 1, 1]).unwrap();
    let expected: Vec<f64> = x.chunks(64).map(|block| block.iter().sum()).collect();
    assert_eq!(out, expected);
}

#[test]
fn threads_that_returned_early_are_not_waited_for() {
    let x: Vec<f64> = (0..100).map(f64::from).collect();
    let mut out = [0.0; 2];
    launch::<BlockSum>(Given((&x, SharedSliceMut::from(&mut out[..]), true)), [2, 1, 1], [64, 1, 1]).unwrap();
    assert_eq!(out.iter().sum::<f64>(), 4950.0);
}

kernel!(Diverge(finished: &'a AtomicU32), |blocks| {
    let finished = *finished;
    blocks.for_each_thread_async(|thread| async move {
        if thread_idx::__intrinsic(&thread).x < 5 {
            sync_threads::__intrinsic(&thread.in_function(site!(SiteKind::Barrier, 20)), 0).await;
        } else {
            sync_threads::__intrinsic(&thread.in_function(site!(SiteKind::Barrier, 30)), 0).await;
        }
        finished.fetch_add(1, Relaxed);
        Ok(())
    })
});

#[test]
fn threads_that_wait_at_different_barriers_are_reported_with_both_lines() {
    let finished = AtomicU32::new(0);
    let failure = launch::<Diverge>(Given(&finished), [1; 3], [8, 1, 1]).unwrap_err();
    assert_eq!(failure.line, 30);
    assert_eq!(failure.cause, FailureCause::DivergentBarrier { other_file: "kernel.rs", other_line: 20, other_column: 9 });
    assert_eq!(failure.thread, [5, 0, 0]);
    assert_eq!(finished.load(Relaxed), 0);
}

#[test]
fn a_barrier_in_a_branch_that_the_whole_block_takes_is_no_divergence() {
    let finished = AtomicU32::new(0);
    launch::<Diverge>(Given(&finished), [1; 3], [5, 1, 1]).unwrap();
    assert_eq!(finished.load(Relaxed), 5);
}

kernel!(WaitUnequally(_arguments: ()), |blocks| {
    blocks.for_each_thread_async(|thread| async move {
        // Thread t waits t times: the others have returned by then.
        for _ in 0..thread_idx::__intrinsic(&thread).x {
            sync_threads::__intrinsic(&thread.in_function(site!(SiteKind::Barrier, 1)), 0).await;
        }
        Ok(())
    })
});

#[test]
fn unequal_numbers_of_barriers_never_hang() {
    launch::<WaitUnequally>(Given(()), [3, 1, 1], [16, 1, 1]).unwrap();
}

/// Counts its living clones.
struct Token<'a>(&'a AtomicUsize);

impl<'a> Token<'a> {
    fn new(living: &'a AtomicUsize) -> Self {
        living.fetch_add(1, Relaxed);
        Self(living)
    }
}

impl Drop for Token<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Relaxed);
    }
}

kernel!(FailBetweenBarriers(living: &'a AtomicUsize), |blocks| {
    let living = *living;
    blocks.for_each_thread_async(|thread| async move {
        let token = Token::new(living);
        sync_threads::__intrinsic(&thread.in_function(site!(SiteKind::Barrier, 1)), 0).await;
        if thread_idx::__intrinsic(&thread).x == 9 {
            return Err(thread.in_function(site!(SiteKind::Panic("nine"), 2)).fail(0, [0, 0]));
        }
        sync_threads::__intrinsic(&thread.in_function(site!(SiteKind::Barrier, 3)), 0).await;
        drop(token);
        Ok(())
    })
});

#[test]
fn a_failure_between_barriers_ends_the_launch_and_drops_every_thread() {
    let living = AtomicUsize::new(0);
    let failure = launch::<FailBetweenBarriers>(Given(&living), [100, 1, 1], [32, 1, 1]).unwrap_err();
    assert_eq!(failure.cause, FailureCause::Panic { message: "nine" });
    assert_eq!((failure.line, failure.thread), (2, [9, 0, 0]));
    assert_eq!(living.load(Relaxed), 0);
}

kernel!(PanicInRust(enabled: bool), |blocks| {
    let enabled = *enabled;
    blocks.for_each_thread_async(|thread| async move {
        sync_threads::__intrinsic(&thread.in_function(site!(SiteKind::Barrier, 1)), 0).await;
        assert!(!enabled || block_idx::__intrinsic(&thread).x != 50, "a panic that is not a kernel's");
        Ok(())
    })
});

#[test]
fn a_rust_panic_reaches_the_caller_and_the_next_launch_works() {
    for _ in 0..3 {
        let outcome = catch_unwind(AssertUnwindSafe(|| launch::<PanicInRust>(Given(true), [100, 1, 1], [64, 1, 1])));
        let payload = outcome.unwrap_err();
        assert_eq!(payload.downcast_ref::<&str>(), Some(&"a panic that is not a kernel's"));
        launch::<PanicInRust>(Given(false), [100, 1, 1], [64, 1, 1]).unwrap();
    }
}

kernel!(Poison(dirty: &'a AtomicU32), |blocks| {
    let dirty = *dirty;
    blocks.for_each_thread(|thread| {
        // Slot 1 first: a branch may skip an array.
        // SAFETY: references to elements last for one statement.
        let mut flags = unsafe { shared::__intrinsic::<[bool; 3]>(thread, 1) };
        // SAFETY: references to elements last for one statement.
        let mut tile = unsafe { shared::__intrinsic::<[[f32; 4]; 2]>(thread, 0) };
        let first = thread_idx::__intrinsic(thread).x == 0;
        let as_expected = if first { tile[1][3].is_nan() && !flags[2] } else { tile[1][3] == 1.0 && flags[2] };
        dirty.fetch_add(u32::from(!as_expected), Relaxed);
        tile[1][3] = 1.0;
        flags[2] = true;
        Ok(())
    })
});

#[test]
fn shared_memory_is_poisoned_when_a_block_begins_and_kept_until_it_ends() {
    let dirty = AtomicU32::new(0);
    launch::<Poison>(Given(&dirty), [200, 1, 1], [64, 1, 1]).unwrap();
    assert_eq!(dirty.load(Relaxed), 0);
}

kernel!(Meet(waiting: &'a AtomicU32), |blocks| {
    let waiting = *waiting;
    blocks.for_each_thread(|thread| {
        // The first thread of each block takes longer than a small launch may take alone.
        if thread_idx::__intrinsic(thread).x == 0 {
            let started = Instant::now();
            while started.elapsed() < Duration::from_micros(50) {
                std::hint::spin_loop();
            }
        } else {
            waiting.fetch_add(1, Relaxed);
            let started = Instant::now();
            while waiting.load(Relaxed) < 2 {
                thread.in_function(site!(SiteKind::Assert("the other block runs too"), 1)).assert(started.elapsed() < Duration::from_secs(20), 0)?;
                thread::yield_now();
            }
        }
        Ok(())
    })
});

#[test]
fn two_blocks_of_few_but_long_threads_run_at_the_same_time() {
    let pool = rayon_core::ThreadPoolBuilder::new().num_threads(2).build().unwrap();
    let waiting = AtomicU32::new(0);
    pool.install(|| launch::<Meet>(Given(&waiting), [2, 1, 1], [2, 1, 1])).unwrap();
}

/// What `#[gpu_device] fn add_first(x: &[f32], out: &mut [f32]) { out[0] = out[0] + x[0]; }` becomes.
fn add_first<'a>(thread: &Thread<'_>, x: impl IntoSlice<'a, f32>, out: impl IntoSliceMut<'a, f32>) -> Result<(), Stop> {
    let (x, mut out) = (x.into_slice(), out.into_slice_mut());
    let value = out[thread.in_function(site!(SiteKind::Index, 1)).index(0, out.len(), 0)?]
        + x[thread.in_function(site!(SiteKind::Index, 2)).index(0, x.len(), 0)?];
    out[0] = value;
    Ok(())
}

kernel!(PassSlices(arguments: (&'a [f32], SharedSliceMut<'a, f32>)), |blocks| {
    let (x, out) = *arguments;
    blocks.for_each_thread(|thread| {
        // SAFETY: there is one thread.
        let mut out = unsafe { out.of_thread() };
        let mut local = [1.0f32; 2];
        // SAFETY: references to elements last for one statement.
        let mut tile = unsafe { shared::__intrinsic::<[f32; 4]>(thread, 0) };
        // SAFETY: references to elements last for one statement.
        let mut rows = unsafe { shared::__intrinsic::<[[f32; 4]; 2]>(thread, 1) };
        tile[0] = 10.0;
        rows[1] = [100.0; 4];
        add_first(thread, x, &mut local)?;
        add_first(thread, &local, &mut tile)?;
        add_first(thread, &tile, &mut rows[1])?;
        add_first(thread, &rows[1], &mut out)?;
        add_first(thread, &out, local.as_mut_slice())?;
        add_first(thread, &local[..], out)?;
        Ok(())
    })
});

#[test]
fn device_functions_take_slices_arrays_and_shared_arrays() {
    let mut out = [1000.0f32];
    launch::<PassSlices>(Given((&[5.0], SharedSliceMut::from(&mut out[..]))), [1; 3], [1; 3]).unwrap();
    // local 6, tile 16, row 116, out 1116, local 1122, out 2238
    assert_eq!(out, [2238.0]);
}

fn panic_message(call: impl FnOnce()) -> String {
    let payload = catch_unwind(AssertUnwindSafe(call)).unwrap_err();
    payload.downcast_ref::<String>().cloned().or_else(|| payload.downcast_ref::<&str>().map(ToString::to_string)).unwrap()
}

#[test]
fn a_device_function_called_from_rust_panics_with_its_failure() {
    assert_eq!(on_host(|_| Ok(3)), 3);
    let message = panic_message(|| on_host(|thread| thread.in_function(site!(SiteKind::Index, 12)).index(7, 5, 0).map(drop)));
    assert_eq!(message, "device function failed at kernel.rs:12:9: index 7 is out of bounds for length 5");
}

#[test]
fn intrinsics_called_from_rust_say_that_they_need_a_kernel() {
    let cases: [(&str, fn()); 9] = [
        ("thread_idx", || _ = thread_idx()),
        ("block_idx", || _ = block_idx()),
        ("block_dim", || _ = block_dim()),
        ("grid_dim", || _ = grid_dim()),
        ("grid_1d", || _ = grid_1d()),
        ("grid_stride", || _ = grid_stride(3)),
        ("shared", || _ = shared::<[f32; 4]>()),
        ("sync_threads", sync_threads),
        // In a device function that is called from Rust.
        ("grid_2d", || _ = on_host(|thread| Ok(grid_2d::__intrinsic(thread)))),
    ];
    for (name, call) in cases {
        assert_eq!(panic_message(call), format!("`{name}()` can only be called from a kernel"));
    }
}
