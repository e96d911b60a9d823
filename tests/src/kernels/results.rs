//! `Result`: `Ok`, `Err`, its methods and those that it shares with `Option`, `?`, and what `compare_exchange` returns.

use gpu_runtime::FailureCause;
use gpu_runtime::prelude::*;
use std::sync::atomic::AtomicU32;
use std::sync::atomic::Ordering::Relaxed;

use crate::bench::{Bench, Failure};
use crate::{cases, launch, try_launch};

cases![
    functions_return_a_result,
    methods_of_a_result_do_what_those_of_std_do,
    what_only_rustc_sees_is_an_option_or_a_result,
    a_result_that_is_an_error_is_reported,
    results_of_exchanges_are_stored,
];

/// Why there is no root.
#[derive(Debug, Clone, Copy, PartialEq, DeviceType)]
#[repr(u8)]
pub enum Problem {
    None,
    Linear,
    Complex,
}

#[gpu_device]
fn check_leading(a: f64) -> Result<(), Problem> {
    if a == 0.0 { Err(Problem::Linear) } else { Ok(()) }
}

#[gpu_device]
fn discriminant(a: f64, b: f64, c: f64) -> Result<f64, Problem> {
    let d = b * b - 4.0 * a * c;
    if d < 0.0 {
        return Err(Problem::Complex);
    }
    Ok(d)
}

/// The smaller real root.
#[gpu_device]
fn root(a: f64, b: f64, c: f64) -> Result<f64, Problem> {
    check_leading(a)?;
    let d = discriminant(a, b, c)?;
    Ok((-b - d.sqrt()) / (2.0 * a))
}

/// The value, or its error, doubled.
#[gpu_device]
fn doubled(root: Result<f64, Problem>) -> Result<f64, Problem> {
    match root {
        Ok(value) if value < 100.0 => Ok(value * 2.0),
        Err(Problem::Linear) => Ok(-1.0),
        other => other,
    }
}

#[gpu_kernel]
pub fn roots(a: &[f64], b: &[f64], out: &mut [f64], problems: &mut [Problem]) {
    let i = grid_1d();
    if i < a.len() && i < b.len() {
        let first = root(a[i], b[i], 1.0);
        match doubled(first) {
            Ok(x) => out[i] = x,
            Err(problem) => problems[i] = problem,
        }
        if let Err(problem) = first
            && problem == Problem::Linear
        {
            out[i] -= 0.5;
        }
        let Ok(second) = root(1.0, b[i], -1.0) else { return };
        out[i] += second;
    }
}

fn functions_return_a_result(bench: &Bench) {
    let (a, b) = (vec![1.0, 0.0, 2.0, -1.0], vec![4.0, 1.0, 1.0, 3.0]);
    let (mut out, mut problems) = (vec![0.0; 4], vec![Problem::None; 4]);
    launch!(bench, roots(&a, &b, &mut out, &mut problems), 1, 32);
    for i in 0..4 {
        let (a, b): (f64, f64) = (a[i], b[i]);
        let (d, second) = (b * b - 4.0 * a, (-b - (b * b + 4.0).sqrt()) / 2.0);
        let (first, problem) = match () {
            () if a == 0.0 => (-1.0 - 0.5, Problem::None),
            () if d < 0.0 => (0.0, Problem::Complex),
            () => ((-b - d.sqrt()) / (2.0 * a) * 2.0, Problem::None),
        };
        assert_eq!((out[i], problems[i]), (first + second, problem), "{i}");
    }
}

/// The quotient, or the dividend where there is none.
#[gpu_device]
fn quotient(x: i32, y: i32) -> Result<i32, i64> {
    x.checked_div(y).ok_or(x as i64 * 2)
}

#[gpu_device]
fn of_option(x: i32, y: i32) -> Option<i32> {
    let found = quotient(x, y).ok()?;
    Some(found + 1)
}

#[gpu_kernel]
pub fn methods(x: &[i32], y: &[i32], out: &mut [i32]) {
    let i = grid_1d();
    let n = x.len();
    if i < n && i < y.len() {
        let r: Result<i32, i64> = quotient(x[i], y[i]);
        let mut bits = 0;
        if r.is_ok() {
            bits |= 1;
        }
        if r.is_err() {
            bits |= 2;
        }
        if r.is_ok_and(|v| v > 2) {
            bits |= 4;
        }
        if r.is_err_and(|e| e > 10) {
            bits |= 8;
        }
        if r == Ok(3) || r < Ok(0) {
            bits |= 16;
        }
        out[i] = bits;
        out[n + i] = r.unwrap_or(-7);
        out[2 * n + i] = r.unwrap_or_else(|e| (e + 1) as i32);
        out[3 * n + i] = r.map(|v| v * 2).unwrap_or_default();
        out[4 * n + i] = match r.map_err(|e| e as u8) {
            Ok(v) => v,
            Err(e) => e as i32 + 1000,
        };
        out[5 * n + i] = r.and_then(|v| quotient(v, v - 1)).map_or(-9, |v| v + 5);
        out[6 * n + i] = r.or_else(|e| if e > 0 { Ok::<i32, i64>(1) } else { Err(e) }).map_or_else(|e| e as i32, |v| v);
        out[7 * n + i] = r.ok().unwrap_or(4) + r.err().map_or(0, |e| e as i32);
        let nested = [Some(r), None];
        let (count, last) = (1, Ok::<i32, i64>(6));
        out[8 * n + i] = match (nested[count - 1], last) {
            (Some(Err(e)), Ok(v)) => v + e as i32,
            (Some(Ok(a)), Ok(b)) => a - b,
            _ => 0,
        };
        out[9 * n + i] = of_option(x[i], y[i]).ok_or_else(|| y[i] - 1).unwrap_or_else(|e| e * 100);
    }
}

fn methods_of_a_result_do_what_those_of_std_do(bench: &Bench) {
    let (x, y) = (vec![7, 9, -6, 5, 0, 3], vec![2, 3, 0, 0, 4, -1]);
    let n = x.len();
    let mut out = vec![0; 10 * n];
    launch!(bench, methods(&x, &y, &mut out), 1, 32);
    for i in 0..n {
        let quotient = |x: i32, y: i32| x.checked_div(y).ok_or(i64::from(x) * 2);
        let r = quotient(x[i], y[i]);
        let bits = [r.is_ok(), r.is_err(), r.is_ok_and(|v| v > 2), r.is_err_and(|e| e > 10), r == Ok(3) || r < Ok(0)];
        let expected = [
            bits.iter().enumerate().map(|(bit, &set)| i32::from(set) << bit).sum(),
            r.unwrap_or(-7),
            r.unwrap_or_else(|e| (e + 1) as i32),
            r.map(|v| v * 2).unwrap_or_default(),
            r.map_err(|e| e as u8).unwrap_or_else(|e| i32::from(e) + 1000),
            r.and_then(|v| quotient(v, v - 1)).map_or(-9, |v| v + 5),
            r.or_else(|e| if e > 0 { Ok(1) } else { Err(e) }).unwrap_or_else(|e: i64| e as i32),
            r.ok().unwrap_or(4) + r.err().map_or(0, |e| e as i32),
            r.map_or_else(|e| 6 + e as i32, |v| v - 6),
            r.ok().map(|v| v + 1).ok_or(y[i] - 1).unwrap_or_else(|e| e * 100),
        ];
        for (k, expected) in expected.into_iter().enumerate() {
            assert_eq!(out[k * n + i], expected, "{k} of {i}");
        }
    }
}

/// Takes the value out of what device functions return, without a type that says what that is.
#[gpu_kernel]
pub fn unseen(x: &[i32], y: &[i32], out: &mut [i32]) {
    let i = grid_1d();
    let n = x.len();
    if i < n && i < y.len() {
        out[i] = quotient(x[i], y[i]).unwrap_or(-1);
        out[n + i] = of_option(x[i], y[i]).unwrap_or(-2);
        out[2 * n + i] = quotient(x[i], y[i]).map_or(-3, |v| v + x[i]);
        out[3 * n + i] = of_option(x[i], y[i]).map_or(-4, |v| v + x[i]);
        let divisor = if y[i] == 0 { 1 } else { y[i] };
        out[4 * n + i] = quotient(x[i], divisor).unwrap() + of_option(x[i], divisor).expect("a quotient");
    }
}

fn what_only_rustc_sees_is_an_option_or_a_result(bench: &Bench) {
    let (x, y) = (vec![7, 9, -6, 5], vec![2, 3, 0, 0]);
    let mut out = vec![0; 5 * 4];
    launch!(bench, unseen(&x, &y, &mut out), 1, 32);
    for i in 0..4 {
        let (q, divisor) = (x[i].checked_div(y[i]), if y[i] == 0 { 1 } else { y[i] });
        let expected = [
            q.unwrap_or(-1),
            q.map_or(-2, |q| q + 1),
            q.map_or(-3, |q| q + x[i]),
            q.map_or(-4, |q| q + 1 + x[i]),
            2 * (x[i] / divisor) + 1,
        ];
        for (k, expected) in expected.into_iter().enumerate() {
            assert_eq!(out[k * 4 + i], expected, "{k} of {i}");
        }
    }
}

#[gpu_kernel]
pub fn unwraps(x: &[i32], out: &mut [i32]) {
    let i = grid_1d();
    if i < x.len() && i < out.len() {
        let result = x[i].checked_mul(2).ok_or(i);
        out[i] = result.unwrap();
    }
}

fn a_result_that_is_an_error_is_reported(bench: &Bench) {
    let mut out = vec![0; 3];
    let failed = try_launch!(bench, unwraps(&vec![1, i32::MAX, 3], &mut out), 1, 4);
    let Err(Failure { cause, thread, .. }) = failed else { panic!("an error has no value") };
    assert!(matches!(&cause, FailureCause::Panic { message, .. } if message.contains("unwrap")), "{cause:?}");
    assert_eq!(thread[0], 1);
}

/// Each thread takes the slot of its number, or counts who was there before.
#[gpu_kernel]
pub fn take_slots(wanted: &[u32], slots: &[AtomicU32], found: &mut [u32]) {
    let i = grid_1d();
    if i < wanted.len() && i < found.len() {
        let taken = slots[i].compare_exchange(wanted[i], 100, Relaxed, Relaxed);
        let again = slots[i].compare_exchange_weak(wanted[i], 200, Relaxed, Relaxed).map_err(|now| now + 1);
        found[i] = match (taken, again) {
            (Ok(old), Err(now)) => 10 * old + now,
            (Err(now), Err(other)) => now + 1000 * other,
            (_, Ok(_)) => 7,
        };
        let last = slots[i].compare_exchange(5, 6, Relaxed, Relaxed).unwrap_or_else(|now| now * 2);
        found[i] += last;
    }
}

fn results_of_exchanges_are_stored(bench: &Bench) {
    let (wanted, mut slots, mut found) = (vec![1, 2, 3, 5], vec![1, 9, 3, 4], vec![0; 4]);
    launch!(bench, take_slots(&wanted, &mut slots, &mut found), 1, 4);
    assert_eq!(slots, [100, 9, 100, 4]);
    assert_eq!(found, [10 + 101 + 200, 9 + 1000 * 10 + 18, 30 + 101 + 200, 4 + 1000 * 5 + 8]);
}
