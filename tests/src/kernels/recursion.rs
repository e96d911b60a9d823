//! Device functions that call themselves and each other.

use gpu_runtime::prelude::*;

use crate::bench::Bench;
use crate::{cases, launch};

cases![functions_call_themselves, functions_call_each_other, calls_nest_in_arguments, generic_functions_call_themselves];

#[gpu_device]
pub fn factorial(n: u64) -> u64 {
    if n < 2 { 1 } else { n * factorial(n - 1) }
}

#[gpu_device]
pub fn fibonacci(n: u32) -> u32 {
    if n < 2 {
        return n;
    }
    let (before, last): (u32, u32) = (fibonacci(n - 2), fibonacci(n - 1));
    before + last
}

#[gpu_kernel]
pub fn by_themselves(factorials: &mut [u64], numbers: &mut [u32]) {
    let i = grid_1d();
    if i < factorials.len() && i < numbers.len() {
        factorials[i] = factorial(i as u64);
        numbers[i] = fibonacci(i as u32);
    }
}

fn functions_call_themselves(bench: &Bench) {
    let (mut factorials, mut numbers) = (vec![0; 16], vec![0; 16]);
    launch!(bench, by_themselves(&mut factorials, &mut numbers), 1, 16);
    let expected: Vec<u64> = (0..16).map(|n| (1..=n).product()).collect();
    assert_eq!(factorials, expected);
    let mut pair = (0, 1);
    for number in numbers {
        assert_eq!(number, pair.0);
        pair = (pair.1, pair.0 + pair.1);
    }
}

#[gpu_device]
pub fn is_even(n: u32) -> bool {
    n == 0 || is_odd(n - 1)
}

#[gpu_device]
pub fn is_odd(n: u32) -> bool {
    if n == 0 { false } else { is_even(n - 1) }
}

#[gpu_kernel]
pub fn by_each_other(out: &mut [u32]) {
    let i = grid_1d();
    if i < out.len() {
        let (even, odd): (bool, bool) = (is_even(i as u32), is_odd(i as u32));
        out[i] = if even == odd { 2 } else { odd as u32 };
    }
}

fn functions_call_each_other(bench: &Bench) {
    let mut out = vec![9; 20];
    launch!(bench, by_each_other(&mut out), 1, 32);
    assert_eq!(out, (0..20).map(|i| i % 2).collect::<Vec<_>>());
}

#[gpu_device]
pub fn ackermann(m: u32, n: u32) -> u32 {
    if m == 0 {
        n + 1
    } else if n == 0 {
        ackermann(m - 1, 1)
    } else {
        ackermann(m - 1, ackermann(m, n - 1))
    }
}

#[gpu_kernel]
pub fn by_arguments(out: &mut [u32]) {
    let i = grid_1d();
    if i < out.len() {
        out[i] = ackermann(2, i as u32);
    }
}

fn calls_nest_in_arguments(bench: &Bench) {
    let mut out = vec![0; 4];
    launch!(bench, by_arguments(&mut out), 1, 4);
    assert_eq!(out, [3, 5, 7, 9]);
}

#[gpu_device]
pub fn power<T: Num>(base: T, exponent: u32) -> T {
    if exponent == 0 {
        return T::from_i32(1);
    }
    base * power(base, exponent - 1)
}

#[gpu_kernel]
pub fn by_type(out: &mut [f64]) {
    let i = grid_1d();
    if i < out.len() {
        let integer = power(3i32, i as u32);
        out[i] = power(2.0f64, i as u32) + integer as f64;
    }
}

fn generic_functions_call_themselves(bench: &Bench) {
    let mut out = vec![0.0; 8];
    launch!(bench, by_type(&mut out), 1, 8);
    assert_eq!(out, (0..8).map(|i| 2f64.powi(i) + 3f64.powi(i)).collect::<Vec<_>>());
}
