//! Whom a failure is told to where several threads use one device.

mod support;

use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::thread;

use gpu_runtime::Error;
use gpu_runtime::prelude::*;
use support::devices;

#[vectorize]
fn quotient(a: i32, b: i32) -> i32 {
    a / b
}

#[guvectorize("(n),()->()")]
fn element(x: &[i32], index: u32) -> i32 {
    x[index as usize]
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
                    ("to_vec", quotient::map(&x, &zeros).to_vec().map(drop)),
                    ("collect_into", quotient::map(&x, &last).collect_into(&mut host)),
                    ("sum", quotient::map(&x, &zeros).sum().map(drop)),
                    ("max", quotient::map(&x, &last).max().map(drop)),
                    ("map", element::map(&x, &far).to_vec().map(drop)),
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
        assert_eq!(quotient::map(&x, &x).to_vec().unwrap(), [1; 1000]);
        assert_eq!(element::map(&x, 5u32).to_vec().unwrap(), [1]);
    }
}
