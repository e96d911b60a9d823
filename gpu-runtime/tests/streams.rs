//! Streams: order follows the data, whichever streams and threads use it.

#[path = "streams/graphs.rs"]
mod graphs;
#[path = "streams/interop.rs"]
mod interop;
mod support;

use std::pin::pin;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Context, Poll, Waker};
use std::thread;

use gpu_runtime::Error;
use gpu_runtime::prelude::*;
use support::{devices, gpu_or_skip};

#[gpu_kernel]
fn add_scaled(x: &[f64], by: f64, out: &mut [f64]) {
    let i = grid_1d();
    if i < out.len() {
        // Enough work that launches of different streams overlap.
        let mut sum = out[i];
        for _ in 0..16 {
            sum += 0.0;
        }
        out[i] = sum * 0.5 + x[i] * by;
    }
}

/// Reads what threads of other blocks have written.
#[gpu_kernel]
fn mix(x: &[u32], by: u32, out: &mut [u32]) {
    let i = grid_1d();
    if i < out.len() {
        let value = x[(i * 40_503 + 12_345) % x.len()];
        out[i] = value.wrapping_mul(1_664_525).wrapping_add(by ^ value >> 7);
    }
}

const LEN: usize = 20_000;

/// A generator of the same numbers in each run.
struct Random(u64);

impl Random {
    fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % end as u64) as usize
    }
}

/// On a GPU, a kernel may start before the one in front is done. Nothing of it is seen: in a stream, on several, behind copies, in a graph.
#[test]
fn a_kernel_reads_what_the_kernel_before_it_has_written_anywhere() {
    for device in devices("a_kernel_reads_what_the_kernel_before_it_has_written_anywhere") {
        let start: Vec<u32> = (0..LEN as u32).map(|i| i.wrapping_mul(2_654_435_761)).collect();
        let mix_on_host = |x: &[u32], by: u32| -> Vec<u32> {
            let of = |i: usize| x[(i * 40_503 + 12_345) % LEN];
            (0..LEN).map(|i| of(i).wrapping_mul(1_664_525).wrapping_add(by ^ of(i) >> 7)).collect()
        };
        let streams = [device.stream().unwrap(), device.stream().unwrap()];
        let new = || device.to_device(&start).unwrap();
        for case in ["a stream", "two streams", "copies", "a graph"] {
            let (mut x, mut y, mut expected) = (new(), new(), start.clone());
            let steps = |x: &mut DeviceArray<u32>, y: &mut DeviceArray<u32>| {
                for step in 0..200 {
                    let stream = &streams[if case == "two streams" { step / 3 % 2 } else { 0 }];
                    mix(&*x, step as u32, &mut *y).on(stream).forall(LEN)?;
                    if case == "copies" && step % 4 == 0 {
                        x.copy_from_device(&*y)?;
                    } else {
                        mix(&*y, 7, &mut *x).on(stream).forall(LEN)?;
                    }
                }
                gpu_runtime::Result::Ok(())
            };
            for step in 0..200 {
                expected = mix_on_host(&expected, step);
                if !(case == "copies" && step % 4 == 0) {
                    expected = mix_on_host(&expected, 7);
                }
            }
            if case == "a graph" {
                let mut graph = Graph::record(&device, (&mut x, &mut y), |(x, y)| steps(x, y)).unwrap();
                graph.launch((&mut x, &mut y)).unwrap();
            } else {
                steps(&mut x, &mut y).unwrap();
            }
            assert!(x.to_host().unwrap() == expected, "{device}, {case}");
        }
    }
}

#[test]
fn results_are_those_of_the_calls_in_order() {
    for device in devices("results_are_those_of_the_calls_in_order") {
        let streams: Vec<Stream> = (0..4).map(|_| device.stream().unwrap()).collect();
        let mut random = Random(0x2545_f491_4f6c_dd1d);
        let mut expected: Vec<f64> = (0..5).map(f64::from).collect();
        let mut arrays: Vec<DeviceArray<f64>> = expected.iter().map(|&value| device.to_device(&[value; LEN]).unwrap()).collect();
        for step in 0..400 {
            let (from, to) = (random.below(5), random.below(4));
            let to = if to >= from { to + 1 } else { to };
            let [x, out] = arrays.get_disjoint_mut([from, to]).unwrap();
            let stream = &streams[random.below(4)];
            let by = step as f64;
            match random.below(8) {
                0 => {
                    // An array that takes the place of another, whose memory is freed while streams use it.
                    *out = (x.lazy() * by).on(stream).collect().unwrap();
                    expected[to] = expected[from] * by;
                }
                1 => {
                    (x.lazy() + by).on(stream).collect_into(&mut *out).unwrap();
                    expected[to] = expected[from] + by;
                }
                2 => {
                    out.on_mut(stream).copy_from_host(&[by; LEN]).unwrap();
                    expected[to] = by;
                }
                3 => assert_eq!(x.on(stream).to_host().unwrap(), [expected[from]; LEN], "{device}, step {step}"),
                4 => assert_eq!(x.lazy().on(stream).max().unwrap(), expected[from], "{device}, step {step}"),
                _ => {
                    add_scaled(&*x, by, &mut *out).on(stream).forall(LEN).unwrap();
                    expected[to] = expected[to] * 0.5 + expected[from] * by;
                }
            }
        }
        for (array, expected) in arrays.iter().zip(expected) {
            assert_eq!(array.to_host().unwrap(), [expected; LEN], "{device}");
        }
        device.synchronize().unwrap();
    }
}

#[test]
fn threads_use_parts_of_one_array_on_streams_of_their_own() {
    for device in devices("threads_use_parts_of_one_array_on_streams_of_their_own") {
        let x = device.to_device(&vec![1.0; LEN]).unwrap();
        let mut out = device.zeros::<f64>(LEN).unwrap();
        for round in 0..20 {
            let (left, right) = out.split_at_mut(LEN / 2);
            thread::scope(|scope| {
                for mut part in [left, right] {
                    let (x, device) = (&x, &device);
                    scope.spawn(move || {
                        let stream = device.stream().unwrap();
                        for _ in 0..10 {
                            add_scaled(x.slice(..LEN / 2), 1.0, &mut part).on(&stream).forall(LEN / 2).unwrap();
                        }
                    });
                }
            });
            let done = 10 * (round + 1);
            assert_eq!(out.to_host().unwrap(), vec![2.0 - 2.0 * 0.5f64.powi(done); LEN], "{device}, round {round}");
        }
    }
}

#[test]
fn what_a_stream_creates_is_used_there_and_may_outlive_it() {
    for device in devices("what_a_stream_creates_is_used_there_and_may_outlive_it") {
        let (x, mut out) = {
            let stream = device.stream().unwrap();
            (stream.to_device(&vec![3.0; LEN]).unwrap(), stream.zeros::<f64>(LEN).unwrap())
        };
        let out = thread::spawn(move || {
            add_scaled(&x, 2.0, &mut out).forall(LEN).unwrap();
            out
        });
        assert_eq!(out.join().unwrap().to_host().unwrap(), vec![6.0; LEN], "{device}");
    }
}

#[test]
fn events_measure_time() {
    for device in devices("events_measure_time") {
        let (stream, mut x) = (device.stream().unwrap(), device.zeros::<f64>(LEN).unwrap());
        let y = device.zeros::<f64>(LEN).unwrap();
        let start = stream.record().unwrap();
        for _ in 0..10 {
            add_scaled(&y, 1.0, &mut x).on(&stream).forall(LEN).unwrap();
        }
        let end = stream.record().unwrap();
        device.wait(&end).unwrap();
        device.synchronize().unwrap();
        assert!(end.is_done().unwrap());
        assert!(!end.elapsed(&start).unwrap().is_zero(), "{device}");
        assert!(start.elapsed(&end).unwrap().is_zero(), "{device}");
        let ((), time) = stream.time(|| add_scaled(&y, 1.0, &mut x).on(&stream).forall(LEN)).unwrap();
        assert!(!time.is_zero(), "{device}");
    }
}

/// One thread that is busy for five milliseconds, and stores when it began and when it ended.
#[gpu_kernel]
fn busy(times: &mut [u64]) {
    if grid_1d() == 0 {
        let begin = global_timer_ns();
        let mut now = begin;
        while now - begin < 5_000_000 {
            now = global_timer_ns();
        }
        times[0] = begin;
        times[1] = now;
    }
}

#[test]
fn small_kernels_of_two_streams_run_at_the_same_time() {
    let Some(device) = gpu_or_skip("small_kernels_of_two_streams_run_at_the_same_time") else { return };
    let streams = [device.stream().unwrap(), device.stream().unwrap()];
    let mut times = streams.each_ref().map(|stream| stream.zeros::<u64>(2).unwrap());
    busy::prepare(&device).unwrap();
    for (stream, times) in streams.iter().zip(&mut times) {
        busy(times).on(stream).launch(1, 1).unwrap();
    }
    let [first, second] = times.map(|times| times.to_host().unwrap());
    assert!(first[0] < second[1] && second[0] < first[1], "from {first:?} ns, and from {second:?}");
}

/// Runs a future on this thread, by an executor that parks the thread, or by one that has other tasks to run meanwhile.
fn block_on<F: Future>(future: F) -> F::Output {
    static TURN: AtomicUsize = AtomicUsize::new(0);
    if TURN.fetch_add(1, Ordering::Relaxed).is_multiple_of(2) {
        return pollster::block_on(future);
    }
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let other = runtime.spawn(async { tokio::task::yield_now().await });
    let output = runtime.block_on(future);
    runtime.block_on(other).unwrap();
    output
}

#[test]
fn a_task_waits_for_its_stream() {
    for device in devices("a_task_waits_for_its_stream") {
        let (stream, other) = (device.stream().unwrap(), device.stream().unwrap());
        let y = device.to_device(&[1.0; LEN]).unwrap();
        let mut x = device.zeros::<f64>(LEN).unwrap();
        for round in 0..50 {
            add_scaled(&y, f64::from(round), &mut x).on(&stream).forall(LEN).unwrap();
            // A future that is dropped leaves everything as it is.
            drop(stream.finished().unwrap());
            block_on(async {
                stream.finished()?.await?;
                other.finished()?.await
            })
            .unwrap();
            assert!(stream.record().unwrap().is_done().is_ok(), "{device}");
        }
        add_scaled(y.slice(..10), 1.0, &mut x).on(&stream).forall(LEN).unwrap();
        let outcome = block_on(stream.finished().unwrap());
        assert!(matches!(outcome, Err(Error::KernelFailed(_))), "{device}: {outcome:?}");
        block_on(stream.finished().unwrap()).unwrap();
    }
}

#[test]
fn many_streams_come_and_go() {
    for device in devices("many_streams_come_and_go") {
        let mut x = device.zeros::<f64>(10).unwrap();
        let y = device.to_device(&[1.0; 10]).unwrap();
        for _ in 0..2000 {
            let stream = device.stream().unwrap();
            add_scaled(&y, 1.0, &mut x).on(&stream).forall(10).unwrap();
        }
        assert_eq!(x.to_host().unwrap(), [2.0; 10], "{device}");
    }
}

#[gpu_kernel]
fn fail_first(x: &mut [u32], failing: u32) {
    let i = grid_1d();
    if i < x.len() {
        x[i] += 1;
        assert!(i as u32 >= failing);
    }
}

/// How many threads of a launch failed.
fn failed_threads(outcome: gpu_runtime::Result<()>) -> u32 {
    match outcome {
        Ok(()) => 0,
        Err(Error::KernelFailed(failure)) => failure.failed_threads,
        Err(other) => panic!("{other}"),
    }
}

/// A launch that is waited for reports its own failure, whatever else fails, on whichever threads.
#[test]
fn a_failure_belongs_to_its_launch() {
    const THREADS: usize = 16;
    for device in devices("a_failure_belongs_to_its_launch") {
        let launches = if device.is_gpu() { 625 } else { 60 };
        thread::scope(|scope| {
            for number in 0..THREADS {
                let device = &device;
                scope.spawn(move || {
                    let mut random = Random(0x9e37_79b9 + number as u64);
                    let mut x = device.zeros::<u32>(64).unwrap();
                    for launch in 0..launches {
                        let failing = random.below(4) as u32;
                        let launched = fail_first(&mut x, failing).launch_async(2, 32);
                        // Some read what it writes first, which reports the failure too; some wait, and some are dropped.
                        match random.below(4) {
                            0 => drop(x.to_host()),
                            1 => drop(launched),
                            2 => assert_eq!(block_on(launched).is_err(), failing > 0, "{device}, launch {launch}"),
                            _ => {
                                // On the CPU, a launch ends with its first failure.
                                let expected = if device.is_gpu() { failing } else { failing.min(1) };
                                assert_eq!(failed_threads(launched.wait()), expected, "{device}, launch {launch}");
                            }
                        }
                    }
                    // What was dropped left its failures to whoever reads.
                    drop(x.to_host());
                    let after = x.to_host().unwrap();
                    assert!(!device.is_gpu() || after == [launches; 64], "every launch ran: {after:?}");
                });
            }
        });
        while device.synchronize().is_err() {}
    }
}

/// Threads that share streams get each failure once, with the number of all threads that failed.
#[test]
fn no_failure_of_shared_streams_is_lost_or_counted_twice() {
    const THREADS: usize = 16;
    const STREAMS: usize = 8;
    for device in devices("no_failure_of_shared_streams_is_lost_or_counted_twice") {
        let launches = if device.is_gpu() { 625 } else { 60 };
        let streams: Vec<Stream> = (0..STREAMS).map(|_| device.stream().unwrap()).collect();
        let totals: Vec<[u32; 3]> = thread::scope(|scope| {
            let threads: Vec<_> = (0..THREADS)
                .map(|number| {
                    let (device, stream) = (&device, &streams[number % STREAMS]);
                    scope.spawn(move || {
                        let mut random = Random(0x51_7cc1 + number as u64);
                        let mut x = stream.zeros::<u32>(64).unwrap();
                        let (mut failed, mut reported, mut reports) = (0, 0, 0);
                        for _ in 0..launches {
                            let failing = (random.below(6) as u32).saturating_sub(3);
                            fail_first(&mut x, failing).launch(2, 32).unwrap();
                            failed += if device.is_gpu() { failing } else { failing.min(1) };
                            if random.below(3) == 0 {
                                let of_report = failed_threads(stream.synchronize());
                                reported += of_report;
                                reports += u32::from(of_report > 0);
                            }
                        }
                        [failed, reported, reports]
                    })
                })
                .collect();
            threads.into_iter().map(|thread| thread.join().unwrap()).collect()
        });
        let rest: u32 = streams.iter().map(|stream| failed_threads(stream.synchronize())).sum();
        let [failed, reported, reports] = [0, 1, 2].map(|of| totals.iter().map(|totals| totals[of]).sum::<u32>());
        let sum = reported + rest;
        // On a GPU, a thread that fails during a report may be counted in that one, and cause the next one.
        let at_most = if device.is_gpu() { failed + reports } else { failed };
        assert!(failed > 0 && failed <= sum && sum <= at_most, "{device}: {failed} failed, {sum} were reported in {reports} reports");
        device.synchronize().unwrap();
    }
}

#[test]
fn elements_are_awaited_and_a_dropped_copy_harms_nobody() {
    for device in devices("elements_are_awaited_and_a_dropped_copy_harms_nobody") {
        let (stream, other) = (device.stream().unwrap(), device.stream().unwrap());
        let x = device.to_device(&(0..LEN).map(|i| i as f64).collect::<Vec<_>>()).unwrap();
        let mut out = device.zeros::<f64>(LEN).unwrap();
        for round in 0..50 {
            add_scaled(&x, f64::from(round), &mut out).on(&other).forall(LEN).unwrap();
            {
                // A copy that is started and dropped, or only dropped.
                let mut dropped = pin!(x.to_host_async());
                if round % 2 == 0 {
                    let _ = dropped.as_mut().poll(&mut Context::from_waker(Waker::noop()));
                }
            }
            let (elements, sum) = block_on(async {
                let sum = out.on(&stream).sum_axis(0)?;
                let elements = out.on(&stream).to_host_async().await?;
                Ok::<_, Error>((elements, sum.to_host_async().await?[0]))
            })
            .unwrap();
            assert_eq!(elements, out.to_host().unwrap(), "{device}, round {round}");
            assert!((sum - elements.iter().sum::<f64>()).abs() <= 1e-9 * sum.abs(), "{device}, round {round}");
        }
        let empty = device.zeros::<f64>(0).unwrap();
        assert!(block_on(empty.to_host_async()).unwrap().is_empty());
        // The failure of the stream that has written the array.
        add_scaled(x.slice(..10), 1.0, &mut out).on(&other).forall(LEN).unwrap();
        let outcome = block_on(out.on(&stream).to_host_async());
        assert!(matches!(outcome, Err(Error::KernelFailed(_))), "{device}: {outcome:?}");
        block_on(out.to_host_async()).unwrap();
        assert!(matches!(pin!(out.to_host_async()).poll(&mut Context::from_waker(Waker::noop())), Poll::Ready(Ok(_)) | Poll::Pending));
    }
}

#[test]
fn uploads_and_reductions_are_awaited_and_a_dropped_upload_harms_nobody() {
    for device in devices("uploads_and_reductions_are_awaited_and_a_dropped_upload_harms_nobody") {
        let stream = device.stream().unwrap();
        let (mut x, mut y) = (device.zeros::<f64>(LEN).unwrap(), stream.zeros::<f64>([10, LEN / 10]).unwrap());
        let mut host = vec![0.0; LEN];
        for round in 0..50 {
            host.fill(f64::from(round));
            let dropped = y.on_mut(&stream).copy_from_host_async(&host).unwrap();
            if round % 2 == 0 {
                drop(dropped);
            } else {
                block_on(dropped).unwrap();
            }
            host.fill(-1.0); // what is copied is what it was
            let uploaded = x.copy_from_host_async(&host).unwrap();
            host.fill(f64::NAN);
            let sums = block_on(async {
                let sum = y.sum_axis(..)?; // in order with the upload, whether that is awaited or not
                uploaded.await?;
                let sums = (sum.item_async().await?, x.lazy().sum_axis(..)?.item_async().await?);
                Ok::<_, Error>(sums)
            })
            .unwrap();
            assert_eq!(sums, (f64::from(round) * LEN as f64, -(LEN as f64)), "{device}, round {round}");
        }
        assert!(matches!(x.copy_from_host_async(&[1.0]), Err(Error::LengthMismatch { .. })));
        assert!(matches!(block_on(x.item_async()), Err(Error::LengthMismatch { .. })));
        let mut empty = device.zeros::<f64>(0).unwrap();
        block_on(empty.copy_from_host_async(&[]).unwrap()).unwrap();
    }
}

#[test]
fn page_locked_memory_is_read_in_place_before_it_changes() {
    for device in devices("page_locked_memory_is_read_in_place_before_it_changes") {
        let stream = device.stream().unwrap();
        let (mut x, mut y) = (device.zeros::<f64>(LEN).unwrap(), stream.zeros::<f64>(LEN).unwrap());
        let mut hosts = [0, 1].map(|_| device.pinned::<f64>(LEN).unwrap());
        let (mut sums, mut expected) = (device.zeros::<f64>(LEN).unwrap(), 0.0);
        for round in 0..50 {
            let host = &mut hosts[round % 2];
            host.fill(round as f64);
            x.copy_from_pinned(host).unwrap();
            y.slice_mut(..).on(&stream).copy_from_pinned(host).unwrap(); // two streams read it
            (&sums + &x + &y).collect().unwrap().lazy().collect_into(&mut sums).unwrap();
            expected += 2.0 * round as f64;
        }
        let mut last = device.pinned::<f64>(LEN).unwrap();
        last.fill(0.5);
        x.copy_from_pinned(&last).unwrap();
        drop(last);
        assert_eq!((&sums + &x).to_host().unwrap(), vec![expected + 0.5; LEN], "{device}");
        assert!(matches!(x.slice_mut(1..).copy_from_pinned(&hosts[0]), Err(Error::LengthMismatch { .. })));
        device.zeros::<f64>(0).unwrap().copy_from_pinned(&device.pinned(0).unwrap()).unwrap();
        let mut of_cpu = Device::cpu().zeros::<f64>(LEN).unwrap();
        of_cpu.copy_from_pinned(&hosts[1]).unwrap();
        assert_eq!(of_cpu.to_host().unwrap(), [49.0; LEN], "{device}");
    }
}

#[test]
fn page_locked_memory_is_written_in_place_before_it_is_read() {
    for device in devices("page_locked_memory_is_written_in_place_before_it_is_read") {
        let streams = [0, 1, 2].map(|_| device.stream().unwrap());
        let mut chunks: Vec<_> = (0..7).map(|_| device.pinned::<f64>(LEN).unwrap()).collect();
        for round in 0..30 {
            for (part, chunk) in chunks.iter_mut().enumerate() {
                chunk.fill((round + part) as f64); // waits for what reads it
                let x = chunk.to(&streams[part % 3]).unwrap();
                (x.lazy() * 2.0).collect().unwrap().copy_to_pinned(chunk).unwrap();
                // Another stream reads what the first one writes, and then writes it again.
                let y = chunk.to(&streams[(part + round) % 3]).unwrap();
                (y.lazy() + 1.0).collect().unwrap().copy_to_pinned(chunk).unwrap();
            }
            for (part, chunk) in chunks.iter().enumerate() {
                assert_eq!(chunk[..], [2.0 * (round + part) as f64 + 1.0; LEN], "{device}, round {round}");
            }
        }
        let (x, mut host) = (device.ones::<f64>(LEN).unwrap(), device.pinned::<f64>(LEN).unwrap());
        let read_by_others = std::thread::scope(|scope| {
            x.copy_to_pinned(&mut host).unwrap();
            [0, 1, 2].map(|_| scope.spawn(|| host.iter().sum::<f64>())).map(|sum| sum.join().unwrap())
        });
        assert_eq!(read_by_others, [LEN as f64; 3]);
        x.copy_to_pinned(&mut host).unwrap();
        drop(host); // waits
        assert!(matches!(x.slice(1..).copy_to_pinned(&mut chunks[0]), Err(Error::LengthMismatch { .. })));
        Device::cpu().ones::<f64>(LEN).unwrap().copy_to_pinned(&mut chunks[0]).unwrap();
        assert_eq!(chunks[0][..], [1.0; LEN], "{device}");
    }
}

/// The memory of this process in bytes, where the system tells.
fn resident_bytes() -> usize {
    let pages = std::fs::read_to_string("/proc/self/statm").unwrap_or_default();
    pages.split(' ').nth(1).and_then(|pages| pages.parse::<usize>().ok()).unwrap_or(0) * 4096
}

#[test]
fn launches_arrays_and_graphs_leave_nothing_behind() {
    const LEN: usize = 100;
    for device in devices("launches_arrays_and_graphs_leave_nothing_behind") {
        // On a GPU, a million launches, 100,000 arrays and 1,000 graphs.
        let rounds = if device.is_gpu() { 1000 } else { 3 };
        let (x, mut out) = (device.ones::<f64>(LEN).unwrap(), device.zeros::<f64>(LEN).unwrap());
        let mut work = |rounds: usize| {
            for _ in 0..rounds {
                for _ in 0..1000 {
                    add_scaled(&x, 1.0, &mut out).launch(1, 128).unwrap();
                }
                for _ in 0..100 {
                    drop(device.zeros::<f64>(LEN).unwrap());
                }
                let code = |(x, out): (&DeviceArray<f64>, &mut DeviceArray<f64>)| add_scaled(x, 1.0, out).launch(1, 128);
                let mut graph = Graph::record(&device, (&x, &mut out), code).unwrap();
                graph.launch((&x, &mut out)).unwrap();
            }
            device.synchronize().unwrap();
            (device.memory().unwrap(), resident_bytes())
        };
        work(1);
        let (few, many) = (work(1), work(rounds));
        // Other tests use the CPU at the same time.
        assert!(!device.is_gpu() || (few.0.live, few.0.reserved) == (many.0.live, many.0.reserved), "{few:?} {many:?}");
        assert!(many.1 < few.1 + (64 << 20), "{device}: {} bytes and then {}", few.1, many.1);
    }
}
