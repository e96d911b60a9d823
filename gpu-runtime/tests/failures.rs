//! Who gets the report of a failure if several threads and streams use one device.

mod support;

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::thread;

use gpu_runtime::block::block_sum;
use gpu_runtime::functions::{self, div};
use gpu_runtime::prelude::*;
use gpu_runtime::{CsrMatrix, Error};
use support::{devices, gpu_or_skip};

#[vectorize]
fn quotient(a: i32, b: i32) -> i32 {
    a / b
}

#[guvectorize("(n),()->()")]
fn element(x: &[i32], index: u32) -> i32 {
    x[index as usize]
}

#[gpu_kernel(unsafe(cuda = r#"extern "C" __global__ void trap(float* x) { asm volatile("trap;"); }"#))]
fn trap(x: &mut [f32]);

#[gpu_kernel(unsafe(cuda = r#"extern "C" __global__ void write_nowhere(float* x) { *(float*)((size_t)x ^ 1ull << 60) = 1.0f; }"#))]
fn write_nowhere(x: &mut [f32]);

/// A fault loses the GPU for the process, so each is in a process of its own: this test, called again.
#[test]
fn a_fault_in_cuda_c_loses_the_gpu_and_the_cpu_goes_on() {
    const NAME: &str = "a_fault_in_cuda_c_loses_the_gpu_and_the_cpu_goes_on";
    const FAULT: &str = "GPU_RUNTIME_TEST_FAULT";
    if let Ok(fault) = std::env::var(FAULT) {
        return lose_the_gpu(&fault);
    }
    if gpu_or_skip(NAME).is_none() {
        return;
    }
    for fault in ["trap", "address"] {
        let child =
            std::process::Command::new(std::env::current_exe().unwrap()).args(["--exact", NAME]).env(FAULT, fault).output().unwrap();
        assert!(child.status.success(), "{fault}: {}", String::from_utf8_lossy(&child.stdout));
    }
}

fn lose_the_gpu(fault: &str) {
    let device = Device::gpu(0).unwrap();
    let (mut x, other) = (device.zeros::<f32>(32).unwrap(), device.ones::<f32>(32).unwrap());
    // SAFETY: there is a data race, which nothing depends on, and the fault is what is tested.
    let launched =
        unsafe { if fault == "trap" { trap(&mut x).launch_unchecked(1, 32) } else { write_nowhere(&mut x).launch_unchecked(1, 32) } };
    launched.unwrap();
    let lost = |error: Error| assert!(error.is_device_lost() && error.to_string().contains("can no longer use the GPU"), "{error}");
    lost(device.synchronize().unwrap_err());
    lost(other.to_host().unwrap_err());
    lost(device.zeros::<f32>(32).unwrap_err());
    drop((x, other));
    let on_cpu = Device::cpu().to_device(&[6, 8]).unwrap();
    assert_eq!(quotient::map(&on_cpu, 2).to_host().unwrap(), [3, 4]);
}

/// Calls `work` while another thread takes whatever report `device` has.
fn while_another_thread_waits<T>(device: &Device, work: impl FnOnce() -> T) -> (T, u32) {
    let (done, taken) = (AtomicBool::new(false), AtomicU32::new(0));
    let result = thread::scope(|scope| {
        scope.spawn(|| {
            while !done.load(Ordering::Relaxed) {
                if device.synchronize().is_err() {
                    taken.fetch_add(1, Ordering::Relaxed);
                }
            }
        });
        let result = work();
        done.store(true, Ordering::Relaxed);
        result
    });
    (result, taken.into_inner())
}

#[test]
fn a_call_that_launches_and_waits_fails_whoever_gets_the_report() {
    for device in devices("a_call_that_launches_and_waits_fails_whoever_gets_the_report") {
        let (x, zeros) = (device.to_device(&[1i32; 1000]).unwrap(), device.zeros::<i32>(1000).unwrap());
        let far = device.to_device(&[7u32, 1000, 8]).unwrap();
        // Threads that fail after the first of their block, too, which is the one that hands over a sum.
        let last = device.to_device(&[vec![1; 999], vec![0]].concat()).unwrap();
        let (unnoticed, taken) = while_another_thread_waits(&device, || {
            let mut unnoticed = Vec::new();
            for round in 0..200 {
                let mut host = vec![0; 1000];
                let outcomes = [
                    ("to_host", quotient::map(&x, &zeros).to_host().map(drop)),
                    ("collect_into", quotient::map(&x, &last).collect_into(&mut host)),
                    ("sum", quotient::map(&x, &zeros).sum().map(drop)),
                    ("max", quotient::map(&x, &last).max().map(drop)),
                    ("map", element::map(&x, &far).to_host().map(drop)),
                ];
                let fine = outcomes.into_iter().filter(|(_, outcome)| !matches!(outcome, Err(Error::KernelFailed(_))));
                unnoticed.extend(fine.map(|(call, _)| (round, call)));
            }
            unnoticed
        });
        assert!(unnoticed.is_empty(), "{device}: {unnoticed:?} passed for good; the other thread took {taken} reports");
        // What is asked for alone is not blamed for what failed before.
        let _ = device.synchronize();
        assert_eq!(quotient::map(&x, &x).sum().unwrap(), 1000);
        assert_eq!(quotient::map(&x, &x).to_host().unwrap(), [1; 1000]);
        assert_eq!(element::map(&x, 5u32).to_host().unwrap(), [1]);
    }
}

#[gpu_kernel]
fn fill_but(element: usize, value: u32, out: &mut [u32]) {
    let i = grid_1d();
    if i < out.len() {
        assert!(i != element);
        out[i] = value;
    }
}

#[gpu_kernel]
fn fail_below(limit: usize, out: &mut [u32]) {
    let i = grid_1d();
    if i < out.len() {
        assert!(i >= limit);
        out[i] = 1;
    }
}

const BLOCK: usize = 128;

/// The element at which a launch of [`fill_but`] failed.
fn failed_element(outcome: gpu_runtime::Result<()>) -> Option<usize> {
    match outcome {
        Ok(()) => None,
        Err(Error::KernelFailed(failure)) => Some(failure.block[0] as usize * BLOCK + failure.thread[0] as usize),
        Err(other) => panic!("{other}"),
    }
}

#[test]
fn each_failure_is_reported_once_and_to_its_own_stream() {
    const THREADS: usize = 16;
    const LAUNCHES: usize = 10_000 / THREADS;
    const LEN: usize = 1000;
    for device in devices("each_failure_is_reported_once_and_to_its_own_stream") {
        let streams: Vec<Mutex<Stream>> = (0..8).map(|_| Mutex::new(device.stream().unwrap())).collect();
        let (streams, device) = (&streams, &device);
        let (expected, reported) = (AtomicU32::new(0), AtomicU32::new(0));
        thread::scope(|scope| {
            for number in 0..THREADS {
                let (expected, reported) = (&expected, &reported);
                scope.spawn(move || {
                    let mut state = 0x9e37_79b9_7f4a_7c15 ^ (number as u64 + 1);
                    let mut random = |end: usize| {
                        state ^= state << 13;
                        state ^= state >> 7;
                        state ^= state << 17;
                        (state % end as u64) as usize
                    };
                    let mut out = device.zeros::<u32>(LEN).unwrap();
                    for launch in 0..LAUNCHES {
                        let value = (number * LAUNCHES + launch) as u32;
                        // Every fourth launch fails, at an element that no other launch is likely to fail at.
                        let element = if random(4) == 0 { random(LEN) } else { LEN };
                        let stream = streams[random(8)].lock().unwrap();
                        fill_but(element, value, &mut out).on(&stream).launch(LEN.div_ceil(BLOCK), BLOCK as u32).unwrap();
                        // Through the array, which another stream has created, or through the stream.
                        let outcome = match random(2) {
                            0 => out.on(&stream).to_host().map(drop),
                            _ => stream.synchronize(),
                        };
                        let failed = failed_element(outcome);
                        assert_eq!(failed, (element < LEN).then_some(element), "{device}: launch {launch} of thread {number}");
                        expected.fetch_add(u32::from(element < LEN), Ordering::Relaxed);
                        reported.fetch_add(u32::from(failed.is_some()), Ordering::Relaxed);
                        assert!(stream.synchronize().is_ok(), "{device}: it was reported twice");
                    }
                    // The arrays and the device work as before.
                    fill_but(LEN, 7, &mut out).launch(LEN.div_ceil(BLOCK), BLOCK as u32).unwrap();
                    assert_eq!(out.to_host().unwrap(), [7; LEN], "{device}");
                });
            }
        });
        assert_eq!(expected.load(Ordering::Relaxed), reported.load(Ordering::Relaxed));
        assert!(reported.into_inner() > 1000);
        device.synchronize().unwrap();
    }
}

#[test]
fn failures_before_a_wait_are_one_report_of_the_first_with_their_number() {
    const THREADS: usize = 8;
    const LEN: usize = 1000;
    for device in devices("failures_before_a_wait_are_one_report_of_the_first_with_their_number") {
        let device = &device;
        thread::scope(|scope| {
            for number in 0..THREADS {
                scope.spawn(move || {
                    // Nothing keeps the threads apart. Each has a stream, and waits for it, for an array that only it has written, or asks
                    // for elements of another array on it, which gets the report as well: reports are of a stream, not of an array.
                    let stream = device.stream().unwrap();
                    let other = device.zeros::<u32>(LEN).unwrap();
                    let mut outs: Vec<_> = (0..4).map(|_| device.zeros::<u32>(LEN).unwrap()).collect();
                    for round in 0..100 {
                        let launches = 1 + (round + number) % outs.len();
                        let first = (round * THREADS + number) % LEN;
                        for (launch, out) in outs[..launches].iter_mut().enumerate() {
                            fill_but((first + launch) % LEN, 1, out).on(&stream).launch(LEN.div_ceil(BLOCK), BLOCK as u32).unwrap();
                        }
                        let outcome = match round % 3 {
                            0 => stream.synchronize(),
                            1 => outs[launches - 1].on(&stream).to_host().map(drop),
                            _ => other.on(&stream).to_host().map(drop),
                        };
                        let Err(Error::KernelFailed(failure)) = &outcome else { panic!("{device}: {outcome:?} in round {round}") };
                        assert_eq!(failure.failed_threads as usize, launches, "{device}: {failure}");
                        assert_eq!(failed_element(outcome), Some(first), "{device}");
                        assert!(stream.synchronize().is_ok(), "{device}: it was reported twice");
                    }
                });
            }
        });
        device.synchronize().unwrap();
    }
}

#[test]
fn a_failure_is_seen_by_who_reads_the_data_and_by_nobody_else() {
    for device in devices("a_failure_is_seen_by_who_reads_the_data_and_by_nobody_else") {
        let (one, other) = (device.stream().unwrap(), device.stream().unwrap());
        let (mut x, mut y) = (device.zeros::<u32>(100).unwrap(), device.zeros::<u32>(100).unwrap());
        fill_but(3, 1, &mut x).on(&one).forall(100).unwrap();
        fill_but(100, 2, &mut y).on(&other).forall(100).unwrap();
        assert_eq!(y.to_host().unwrap(), [2; 100], "{device}");
        other.synchronize().unwrap();
        assert!(matches!(x.to_host(), Err(Error::KernelFailed(_))), "{device}");
        one.synchronize().unwrap();
        for read in [
            |x: &DeviceArray<u32>| x.lazy().sum().map(drop),
            |x: &DeviceArray<u32>| x.lazy().to_host().map(drop),
            |x: &DeviceArray<u32>| element::map(lazy(x).cast::<i32>(), 0u32).to_host().map(drop),
        ] {
            fill_but(3, 1, &mut x).on(&one).forall(100).unwrap();
            let outcome = read(&x);
            assert!(matches!(outcome, Err(Error::KernelFailed(_))), "{device}: {outcome:?}");
            one.synchronize().unwrap();
        }
        fill_but(3, 1, &mut x).on(&one).forall(100).unwrap();
        drop((one, x));
        assert!(matches!(device.synchronize(), Err(Error::KernelFailed(_))), "{device}: the stream was dropped");
        device.synchronize().unwrap();
    }
}

#[test]
fn the_report_has_the_number_of_threads_that_failed() {
    for device in devices("the_report_has_the_number_of_threads_that_failed") {
        let mut out = device.zeros::<u32>(100_000).unwrap();
        for limit in [70_000, 3] {
            fail_below(limit, &mut out).forall(100_000).unwrap();
            let Err(Error::KernelFailed(failure)) = device.synchronize() else { panic!("{device}: it did not fail") };
            let threads = if device.is_gpu() { limit as u32 } else { 1 };
            assert_eq!(failure.failed_threads, threads, "{device}");
        }
    }
}

/// What failed in a call of this file, its line and the message.
fn message<T: std::fmt::Debug>(line: u32, outcome: gpu_runtime::Result<T>) -> (u32, String) {
    let Err(Error::KernelFailed(failure)) = outcome else { panic!("line {line}: {outcome:?}") };
    assert!(failure.calls.iter().all(|call| call.file() == file!()), "{:?}", failure.calls);
    (line, failure.to_string())
}

#[test]
fn a_failure_in_an_array_function_names_the_line_that_called_it() {
    let name = "a_failure_in_an_array_function_names_the_line_that_called_it";
    for device in devices(name) {
        let (x, zeros) = (device.to_device(&[7i32; 1000]).unwrap(), device.zeros::<i32>(1000).unwrap());
        let far = device.to_device(&[7u32, 1000, 8]).unwrap();
        let rows = x.view().reshape([250, 4]).unwrap();
        let past = device.to_device(&[3i32, 4, 2, 5]).unwrap();
        let waited = || device.synchronize();
        let division = "integer division by zero";
        let index = "index 1000 is out of bounds for length 1000";
        let along = "index 4 is out of bounds for length 4";
        let ones = x.cast::<f32>().collect().unwrap();
        let (starts, four) = (device.to_device(&[0u32, 1]).unwrap(), device.to_device(&[4u32]).unwrap());
        let sparse = CsrMatrix::new([1, 4], starts, four, device.ones::<f32>(1).unwrap()).unwrap();
        let mut put = device.zeros::<i32>(4).unwrap();
        let ready_made = [
            (message(line!(), (&x / &zeros).collect().and_then(|_| waited())), "div", format!("{division} (element ")),
            (message(line!(), (&x / &zeros).sum()), "sum", division.into()),
            (message(line!(), (&x % &zeros).to_host()), "rem", format!("{division} (element ")),
            (message(line!(), (&x / &zeros).cumsum().and_then(|_| waited())), "cumsum", division.into()),
            (message(line!(), (&rows / 0).cummax_axis(0).and_then(|_| waited())), "cummax", division.into()),
            (message(line!(), (&x / &zeros).mean().map(|_| ())), "mean", division.into()),
            (message(line!(), x.take(&far).and_then(|_| waited())), "take", index.into()),
            (message(line!(), rows.take_axis(&past, 1).and_then(|_| waited())), "take", along.into()),
            (message(line!(), past.take_along_axis(&past, 0).and_then(|_| waited())), "take_along_axis", along.into()),
            (message(line!(), put.put(&past, 7).and_then(|_| waited())), "put", format!("{along} (element 1)")),
            (message(line!(), put.sum_by(&past, 4).and_then(|_| waited())), "sum_by", along.into()),
            (message(line!(), ones.slice(..4).mean_by(&past, 4).and_then(|_| waited())), "mean_by", along.into()),
            (message(line!(), put.min_by(&past, 4).and_then(|_| waited())), "min_by", format!("{along} (element 1)")),
            (message(line!(), put.max_by(&past, 4).and_then(|_| waited())), "max_by", format!("{along} (element 1)")),
            (
                message(line!(), sparse.to_dense().and_then(|_| waited())),
                "to_dense",
                "index 4 is out of bounds for axis 1 of extent 4".into(),
            ),
            (message(line!(), sparse.matmul(&ones.slice(..4)).and_then(|_| waited())), "CsrMatrix::matmul", along.into()),
            (message(line!(), past.bincount(4).and_then(|_| waited())), "bincount", along.into()),
            (message(line!(), functions::add::at(&mut put, &past, 1).and_then(|_| waited())), "add", along.into()),
        ];
        for ((line, message), function, cause) in ready_made {
            let called = format!("array function `{function}` at {}:{line}:", file!());
            assert!(message.starts_with(&called), "{device}: {message}");
            assert!(message.contains(&format!(": {cause}")) && !message.contains("failed"), "{device}: {message}");
        }
        let own = [
            (message(line!(), quotient::map(&x, &zeros).collect().and_then(|_| waited())), "quotient", division),
            (message(line!(), quotient::map(&x, &zeros).max()), "max", division),
            (message(line!(), element::map(&x, &far).to_host()), "element", index),
        ];
        for ((line, message), function, cause) in own {
            let called = format!("array function `{function}` at {}:{line}:", file!());
            let failed = format!(" failed at {}:", file!());
            assert!(message.starts_with(&called) && message.contains(&failed), "{device}: {message}");
            assert!(message.contains(&format!(": {cause}")), "{device}: {message}");
        }
    }
}

#[test]
fn a_failure_names_every_line_whose_call_may_have_failed() {
    for device in devices("a_failure_names_every_line_whose_call_may_have_failed") {
        let (x, zeros) = (device.to_device(&[7i32; 1000]).unwrap(), device.zeros::<i32>(1000).unwrap());
        let mut out = device.zeros::<u32>(100).unwrap();
        let lines = || {
            let Err(Error::KernelFailed(failure)) = device.synchronize() else { panic!("{device}: it did not fail") };
            failure.calls.iter().map(|call| call.line()).collect::<Vec<_>>()
        };
        // A wait shows that what was called before has not failed.
        let ones = device.ones::<i32>(1000).unwrap();
        (&x / &ones).collect().unwrap();
        device.synchronize().unwrap();
        let first = line!() + 2;
        for _ in 0..3 {
            (&x / &zeros).collect().unwrap();
            (&x / &ones).collect().unwrap();
        }
        assert_eq!(lines(), if device.is_gpu() { vec![first, first + 1] } else { vec![first] });
        fill_but(3, 1, &mut out).forall(100).unwrap();
        assert_eq!(lines(), [line!() - 1]);
        // Both run one kernel. With these types, no other test runs it, or the one that counts the keys, at the same time.
        let (values, keys) = (device.ones::<f64>(4).unwrap(), device.to_device(&[3u16, 4, 2, 5]).unwrap());
        let first = line!() + 1;
        values.sum_by(&keys, 4).unwrap();
        values.mean_by(&keys, 4).unwrap();
        let message = device.synchronize().unwrap_err().to_string();
        let place = |line| format!("{}:{line}:16", file!());
        let both = format!("array function `sum_by` or `mean_by` at {} or {}: index ", place(first), place(first + 1));
        let one = format!("array function `sum_by` at {}: index 4 is out of bounds", place(first));
        assert!(message.starts_with(if device.is_gpu() { &both } else { &one }), "{device}: {message}");
        let launched = fill_but(3, 1, &mut out).launch_async(1, 128);
        let Err(Error::KernelFailed(failure)) = launched.wait() else { panic!("{device}: it did not fail") };
        assert_eq!(failure.calls[0].line(), line!() - 2);
    }
}

#[gpu_device]
async fn sum_of_block(x: u32) -> u32 {
    block_sum(x).await
}

#[gpu_kernel]
fn sum_of_some(x: &[u32], out: &mut [u32]) {
    let i = grid_1d();
    if i >= x.len() {
        return;
    }
    out[i] = sum_of_block(x[i]).await;
}

#[gpu_kernel]
fn quotients(x: &[i32], y: &[i32], out: &mut [i32]) {
    let i = grid_1d();
    if i < out.len() {
        out[i] = div(x[i], y[i]);
    }
}

#[test]
fn a_failure_in_a_function_of_this_crate_is_told_at_its_call() {
    let in_device_function = line!() - 22;
    let in_kernel = line!() - 7;
    for device in devices("a_failure_in_a_function_of_this_crate_is_told_at_its_call") {
        let (x, mut out) = (device.ones::<u32>(40).unwrap(), device.zeros::<u32>(40).unwrap());
        sum_of_some(&x, &mut out).launch(1, 64).unwrap();
        let error = device.synchronize().unwrap_err().to_string();
        let expected = format!(
            "kernel `sum_of_some` failed at {}:{in_device_function}:5: assertion failed: all threads of the block must reach `block_sum`",
            file!()
        );
        assert!(error.starts_with(&expected), "{device}: {error}");
        let (ones, zeros) = (device.ones::<i32>(40).unwrap(), device.zeros::<i32>(40).unwrap());
        let mut out = device.zeros::<i32>(40).unwrap();
        quotients(&ones, &zeros, &mut out).forall(40).unwrap();
        let error = device.synchronize().unwrap_err().to_string();
        let expected = format!("kernel `quotients` failed at {}:{in_kernel}:18: integer division by zero (block", file!());
        assert!(error.starts_with(&expected), "{device}: {error}");
    }
}
