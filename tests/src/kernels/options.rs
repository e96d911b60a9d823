//! `Option`: `Some`, `None`, its methods, checked arithmetic, and functions that take and return it.

use gpu_runtime::FailureCause;
use gpu_runtime::prelude::*;

use crate::bench::{Bench, Failure};
use crate::{cases, launch, try_launch, value_arguments};

cases![
    functions_return_an_option,
    events_are_grouped_into_sessions,
    checked_arithmetic_has_no_value_where_it_overflows,
    checked_division_and_shifts_know_their_limits,
    methods_do_what_those_of_std_do,
    an_option_that_is_none_is_reported,
    options_are_taken_and_replaced,
    options_lie_in_memory,
];

/// The smaller real root of `a x² + b x + c`.
#[gpu_device]
fn root(a: f64, b: f64, c: f64) -> Option<f64> {
    let discriminant = b * b - 4.0 * a * c;
    if a == 0.0 || discriminant < 0.0 {
        return None;
    }
    Some((-b - discriminant.sqrt()) / (2.0 * a))
}

/// The value in `option`, doubled.
#[gpu_device]
fn doubled(option: Option<f64>) -> Option<f64> {
    match option {
        Some(value) if value < 100.0 => Some(value * 2.0),
        other => other,
    }
}

#[gpu_kernel]
pub fn roots(a: &[f64], b: &[f64], out: &mut [f64]) {
    let i = grid_1d();
    if i < a.len() && i < b.len() {
        let first = root(a[i], b[i], 1.0);
        out[i] = match doubled(first) {
            Some(x) => x,
            None => -99.0,
        };
        if let Some(x) = root(1.0, b[i], -1.0) {
            out[i] += x;
        }
        if let None = first {
            out[i] -= 0.5;
        }
    }
}

fn functions_return_an_option(bench: &Bench) {
    let (a, b) = (vec![1.0, 0.0, 2.0, -1.0], vec![4.0, 1.0, 1.0, 3.0]);
    let mut out = vec![0.0; 4];
    launch!(bench, roots(&a, &b, &mut out), 1, 32);
    let expected: Vec<f64> = (a.iter().zip(&b))
        .map(|(&a, &b)| {
            let second = (-b - (b * b + 4.0).sqrt()) / 2.0;
            let discriminant = b * b - 4.0 * a;
            let first = if a == 0.0 || discriminant < 0.0 { -99.0 } else { (-b - discriminant.sqrt()) / (2.0 * a) * 2.0 };
            if first == -99.0 { first + second - 0.5 } else { first + second }
        })
        .collect();
    assert_eq!(out, expected);
}

/// When the event before `i` of the same user was, if there is one.
#[gpu_device]
fn previous(user: &[u32], time: &[u64], i: usize) -> Option<u64> {
    let mut k = i;
    while k > 0 {
        k -= 1;
        if user[k] == user[i] {
            return Some(time[k]);
        }
    }
    None
}

/// Marks the events with which a session begins: the first of its user, and those after a pause.
#[gpu_kernel]
pub fn sessions(user: &[u32], time: &[u64], pause: u64, begins: &mut [bool], waited: &mut [i64]) {
    let i = grid_1d();
    if i < user.len() && i < time.len() && i < begins.len() {
        let before = previous(user, time, i);
        let gap: Option<u64> = match before {
            Some(then) => time[i].checked_sub(then),
            None => None,
        };
        begins[i] = match gap {
            None => true,
            Some(gap) => gap > pause,
        };
        if i < waited.len() {
            waited[i] = if let Some(gap @ 1..) = gap { gap as i64 } else { -1 };
        }
    }
}

fn events_are_grouped_into_sessions(bench: &Bench) {
    let user = vec![1, 2, 1, 1, 2, 3, 1, 2, 2, 1];
    let time = vec![0, 5, 10, 100, 104, 105, 109, 300, 300, 131];
    let (mut begins, mut waited) = (vec![false; 10], vec![0; 10]);
    launch!(bench, sessions(&user, &time, 30, &mut begins, &mut waited), 1, 32);
    assert_eq!(begins, [true, true, false, true, true, true, false, true, false, false]);
    assert_eq!(waited, [-1, -1, 10, 90, 99, -1, 9, 196, -1, 22]);
}

/// `-1` where there is no value.
macro_rules! checked_kernels {
    ($($name:ident: $T:ty),* $(,)?) => {
        $(#[gpu_kernel]
        pub fn $name(x: &[$T], y: &[$T], sum: &mut [i64], difference: &mut [i64], product: &mut [i64], negative: &mut [i64]) {
            let i = grid_1d();
            if i < x.len() && i < y.len() {
                let (x, y) = (x[i], y[i]);
                sum[i] = if let Some(n) = x.checked_add(y) { n as i64 } else { -1 };
                let Some(_) = x.checked_sub(y) else {
                    difference[i] = -1;
                    return;
                };
                difference[i] = x.checked_sub(y).unwrap() as i64;
                product[i] = match x.checked_mul(y) {
                    Some(n) => n as i64,
                    None => -1,
                };
                negative[i] = x.checked_neg().unwrap_or(7) as i64;
            }
        })*

        fn checked_arithmetic_has_no_value_where_it_overflows(bench: &Bench) {
            $({
                let values = [0, 1, 2, 11, 16, <$T>::MAX, <$T>::MAX - 1, <$T>::MAX / 2, <$T>::MIN, <$T>::MIN + 1, <$T>::MAX / 3 * 2];
                let pairs: Vec<($T, $T)> = values.iter().flat_map(|&x| values.map(|y| (x, y))).collect();
                let (x, y): (Vec<$T>, Vec<$T>) = pairs.iter().copied().unzip();
                let mut out = [0; 4].map(|n: i64| vec![n; x.len()]);
                let [sum, difference, product, negative] = &mut out;
                launch!(bench, $name(&x, &y, sum, difference, product, negative), 4, 32);
                for (i, (x, y)) in pairs.into_iter().enumerate() {
                    let value = |n: Option<$T>| n.map_or(-1, |n| n as i64);
                    assert_eq!(out[0][i], value(x.checked_add(y)), "{x} + {y}");
                    assert_eq!(out[1][i], value(x.checked_sub(y)), "{x} - {y}");
                    if x.checked_sub(y).is_some() {
                        assert_eq!(out[2][i], value(x.checked_mul(y)), "{x} * {y}");
                        assert_eq!(out[3][i], x.checked_neg().unwrap_or(7) as i64, "-{x}");
                    }
                }
            })*
        }
    };
}

checked_kernels![checked_i8: i8, checked_u8: u8, checked_i16: i16, checked_i32: i32, checked_u32: u32, checked_i64: i64, checked_u64: u64, checked_usize: usize];

/// Bits of which of the operations have a value, and the sum of the values.
#[gpu_kernel]
pub fn limits(x: &[i32], y: &[i32], some: &mut [u32], sum: &mut [i64]) {
    let i = grid_1d();
    if i < x.len() && i < y.len() {
        let (x, y) = (x[i], y[i]);
        let mut bits = 0;
        let mut total = 0i64;
        if let Some(n) = x.checked_div(y) {
            bits |= 1;
            total += n as i64;
        }
        if let Some(n) = x.checked_rem(y) {
            bits |= 2;
            total += n as i64;
        }
        if let Some(n) = x.checked_shl(y as u32) {
            bits |= 4;
            total += n as i64;
        }
        if let Some(n) = (x as u8).checked_shr(y as u32) {
            bits |= 8;
            total += n as i64;
        }
        some[i] = bits;
        sum[i] = total;
    }
}

fn checked_division_and_shifts_know_their_limits(bench: &Bench) {
    let values = [0, 1, -1, 7, -7, 8, 31, 32, i32::MAX, i32::MIN];
    let pairs: Vec<(i32, i32)> = values.iter().flat_map(|&x| values.map(|y| (x, y))).collect();
    let (x, y): (Vec<i32>, Vec<i32>) = pairs.iter().copied().unzip();
    let (mut some, mut sum) = (vec![0; x.len()], vec![0; x.len()]);
    launch!(bench, limits(&x, &y, &mut some, &mut sum), 4, 32);
    for (i, (x, y)) in pairs.into_iter().enumerate() {
        let amount = y as u32;
        let shifted = (x as u8).checked_shr(amount).map(i32::from);
        let results = [x.checked_div(y), x.checked_rem(y), x.checked_shl(amount), shifted];
        assert_eq!(some[i], results.iter().rev().fold(0, |bits, result| bits * 2 + u32::from(result.is_some())), "{x} and {y}");
        assert_eq!(sum[i], results.iter().flatten().map(|&n| i64::from(n)).sum::<i64>(), "{x} and {y}");
    }
}

/// Adds one to `count[0]` and returns it.
#[gpu_device]
fn next(count: &mut [i32]) -> i32 {
    count[0] += 1;
    count[0]
}

/// Options in variables, tuples and arrays; `unwrap_or` evaluates its argument in any case.
#[gpu_kernel]
pub fn option_methods(x: &[i32], out: &mut [i32]) {
    let i = grid_1d();
    if i < x.len() {
        let mut best: Option<i32> = None;
        for k in 0..x.len() {
            best = match (best, x[k]) {
                (None, n) => Some(n),
                (Some(m), n) if (n - x[i]).abs() < (m - x[i]).abs() && n != x[i] => Some(n),
                (unchanged, _) => unchanged,
            };
        }
        let mut count = [0; 1];
        let nested = (best, [Some(2), None, Some(x[i])]);
        let a = nested.0.unwrap_or(next(&mut count));
        let b = nested.1[1].unwrap_or(next(&mut count) * 100);
        let c = if nested.1[2].is_some() && nested.1[1].is_none() && !best.is_none() { 1000 } else { 0 };
        let twice = Some(Some(x[i] % 2 == 0));
        let d = match twice {
            Some(Some(true)) => 10000,
            Some(Some(false) | None) => 20000,
            None => 30000,
        };
        out[i] = a + b + c + d + nested.1[0].expect("it is there") + count[0];
    }
}

fn methods_do_what_those_of_std_do(bench: &Bench) {
    let x = vec![1, 5, 9, 30, 32, 0];
    let mut out = vec![0; x.len()];
    launch!(bench, option_methods(&x, &mut out), 1, 32);
    let expected: Vec<i32> = x
        .iter()
        .map(|&n| {
            let mut best = x[0];
            for &m in &x[1..] {
                if (m - n).abs() < (best - n).abs() && m != n {
                    best = m;
                }
            }
            best + 200 + 1000 + if n % 2 == 0 { 10_000 } else { 20_000 } + 2 + 2
        })
        .collect();
    assert_eq!(out, expected);
}

const UNWRAP: u32 = line!() + 9;

/// Takes the value in an option that may have none.
#[gpu_kernel]
pub fn taken(x: &[u8], out: &mut [u8]) {
    let i = grid_1d();
    if i < x.len() && i < out.len() {
        let sum = x[i].checked_add(200);
        let product = x[i].checked_mul(2);
        out[i] = sum.unwrap() + product.unwrap();
    }
}

const EXPECT: u32 = line!() + 7;

/// The same with a message.
#[gpu_kernel]
pub fn summed(x: &[u8], out: &mut [u8]) {
    let i = grid_1d();
    if i < x.len() && i < out.len() {
        out[i] = x[i].checked_mul(2).expect("it fits");
    }
}

fn an_option_that_is_none_is_reported(bench: &Bench) {
    let mut out = vec![0; 3];
    assert_eq!(try_launch!(bench, taken(&vec![1, 2, 3], &mut out), 1, 32), Ok(()));
    assert_eq!(out, [203, 206, 209]);
    let failure = |message| {
        let cause = FailureCause::Panic { message };
        Err(Failure { kernel: "taken".to_owned(), line: UNWRAP, cause, block: [0; 3], thread: [1, 0, 0] })
    };
    let outcome = try_launch!(bench, taken(&vec![1, 60, 3], &mut out), 1, 32);
    assert_eq!(outcome, failure("called `Option::unwrap()` on a `None` value"));
    let outcome = try_launch!(bench, taken(&vec![1, 2, 3, 130], &mut out), 1, 32);
    assert_eq!(outcome, Ok(()), "there is no room for the last");
    let mut out = vec![0; 4];
    let outcome = try_launch!(bench, summed(&vec![1, 130], &mut out), 1, 32);
    let cause = FailureCause::Panic { message: "it fits" };
    assert_eq!(outcome, Err(Failure { kernel: "summed".to_owned(), line: EXPECT, cause, block: [0; 3], thread: [1, 0, 0] }));
}

#[gpu_kernel]
pub fn taken_and_replaced(x: &[i32], out: &mut [i32]) {
    let i = grid_1d();
    if i < x.len() && i < out.len() {
        let mut slot = Some(x[i]);
        let before = slot.take();
        let empty = if slot.is_none() { 100 } else { 0 };
        slot = slot.or(Some(5));
        let replaced = slot.replace(3);
        let both = before.and(Some(7));
        let none: Option<i32> = None;
        let other = none.or(slot).unwrap_or(9);
        let neither = none.and(slot).unwrap_or(8);
        let taken = std::mem::take(&mut slot).unwrap_or(0) + slot.unwrap_or(60_000_000);
        let mut slots: [Option<i32>; 2] = [None, Some(x[i])];
        let first = slots[1].take().or(slots[0]);
        slots[0] = slots[0].or(first).and(Some(4));
        let elements = slots[1].or(slots[0]).unwrap_or(50) + first.unwrap_or(0);
        out[i] = before.unwrap_or(0)
            + empty
            + replaced.unwrap_or(0) * 1000
            + both.unwrap_or(0) * 10_000
            + other * 100_000
            + neither * 1_000_000
            + taken * 10
            + elements * 10_000_000;
    }
}

fn options_are_taken_and_replaced(bench: &Bench) {
    let mut out = vec![0; 2];
    launch!(bench, taken_and_replaced(&vec![9, 1], &mut out), 1, 32);
    assert_eq!(out, [9, 1].map(|x| x + 100 + 5000 + 70_000 + 300_000 + 8_000_000 + 600_000_030 + (4 + x) * 10_000_000));
}

/// A sample that may be missing, with what was last known of it.
#[derive(Debug, Clone, Copy, PartialEq, DeviceType)]
#[repr(C)]
pub struct Sample {
    id: u8,
    value: Option<f32>,
    before: Option<(u16, u8)>,
}

const UNKNOWN: Sample = Sample { id: 7, value: None, before: Some((300, 1)) };

value_arguments![Option<f64>];

/// Options in elements, in fields, in tuples and as a parameter.
#[gpu_kernel(fmad = false)]
pub fn stored(x: &[Option<f64>], default: Option<f64>, out: &mut [Option<i64>], samples: &mut [Sample], pairs: &mut [(u8, Option<u16>)]) {
    let i = grid_1d();
    if i < x.len() && i < out.len() && i < samples.len() && i < pairs.len() {
        out[i] = match x[i] {
            Some(value) if value < 0.0 => None,
            Some(value) => Some(value as i64),
            None => default.map(|value| value as i64 + 100),
        };
        let known = samples[i].value.unwrap_or(0.5);
        if let Some((high, low)) = samples[i].before {
            samples[i].value = Some(known + high as f32 + low as f32);
            samples[i].before = None;
        } else if samples[i].value.is_some() {
            samples[i] = Sample { id: samples[i].id + 1, value: None, before: Some((3, samples[i].id)) };
        } else {
            samples[i] = UNKNOWN;
        }
        pairs[i].1 = if out[i].is_none() { Some(pairs[i].0 as u16) } else { None };
    }
}

fn options_lie_in_memory(bench: &Bench) {
    let x = vec![Some(2.5), None, Some(-1.0), Some(1e10)];
    let sample = |id, value, before| Sample { id, value, before };
    let mut samples =
        vec![sample(1, Some(2.0), Some((10, 20))), sample(2, None, Some((1, 2))), sample(3, Some(4.0), None), sample(4, None, None)];
    let (mut out, mut pairs) = (vec![None, Some(1), Some(2), None], vec![(9u8, Some(1u16)), (8, None), (7, None), (6, Some(2))]);
    launch!(bench, stored(&x, Some(0.5), &mut out, &mut samples, &mut pairs), 1, 32);
    assert_eq!(out, [Some(2), Some(100), None, Some(10_000_000_000)]);
    assert_eq!(
        samples,
        [sample(1, Some(32.0), None), sample(2, Some(3.5), None), sample(4, None, Some((3, 3))), sample(7, None, Some((300, 1)))]
    );
    assert_eq!(pairs, [(9, None), (8, None), (7, Some(7)), (6, None)]);
    launch!(bench, stored(&x, None, &mut out, &mut samples, &mut pairs), 1, 32);
    assert_eq!(out[1], None);
}
