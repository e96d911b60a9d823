//! Closures, and device functions that take functions.

use gpu_runtime::FailureCause::{DivisionByZero, IndexOutOfBounds};
use gpu_runtime::prelude::*;

use crate::bench::{Bench, Failure};
use crate::{cases, launch, try_launch};

cases![
    closures_are_called_by_their_name wraps = true,
    closures_return_early_and_loop,
    moved_variables_are_copies,
    closures_read_shared_memory_between_barriers,
    monte_carlo_integrates_what_it_is_given wraps = true,
    derivatives_are_taken_of_functions_and_closures,
    functions_are_handed_on,
    generic_functions_are_passed_with_their_types wraps = true,
    closures_in_closures_see_all_around_them,
    failures_in_closures_end_the_thread,
    failures_behind_functions_end_the_thread,
    the_host_passes_ordinary_closures,
    closures_change_what_they_capture wraps = true,
    functions_take_and_return_structs,
];

#[gpu_kernel]
pub fn calling(x: &[i32], by: i32, out: &mut [i32]) {
    let i = grid_1d();
    if i < out.len() {
        let scaled = |v: i32| v * by;
        let sum = |a, b| a + b + x[0];
        let nothing = || -7;
        let is_even = |v: i32| v % 2 == 0;
        let wide = |v: i32| -> i64 { v as i64 * 1_000_000_007 };
        out[i] = sum(scaled(x[i]), scaled(2)) + if is_even(x[i]) { nothing() } else { wide(x[i]) as i32 };
    }
}

fn closures_are_called_by_their_name(bench: &Bench) {
    let x = vec![3, -4, i32::MAX, 0];
    let mut out = vec![0; 4];
    launch!(bench, calling(&x, -5, &mut out), 1, 4);
    let expected = x.iter().map(|&v: &i32| {
        let sum = v.wrapping_mul(-5).wrapping_add(-10).wrapping_add(3);
        sum.wrapping_add(if v % 2 == 0 { -7 } else { (i64::from(v) * 1_000_000_007) as i32 })
    });
    assert_eq!(out, expected.collect::<Vec<_>>());
}

#[gpu_kernel]
pub fn returning(x: &[u32], out: &mut [u32]) {
    let i = grid_1d();
    if i < out.len() {
        let steps = |start: u32| {
            let mut n = start;
            let mut steps = 0u32;
            loop {
                if n <= 1 {
                    return steps;
                }
                n = if n % 2 == 0 { n / 2 } else { 3 * n + 1 };
                steps += 1;
            }
        };
        let found = |wanted: u32| {
            for k in 0..x.len() {
                if x[k] == wanted {
                    return k as u32;
                }
            }
            u32::MAX
        };
        out[i] = steps(x[i]) * 100 + found(x[i]).min(50);
    }
}

fn closures_return_early_and_loop(bench: &Bench) {
    fn steps(n: u32) -> u32 {
        if n <= 1 { 0 } else { 1 + steps(if n.is_multiple_of(2) { n / 2 } else { 3 * n + 1 }) }
    }
    let x = vec![27, 1, 0, 27, 97];
    let mut out = vec![0; 5];
    launch!(bench, returning(&x, &mut out), 1, 8);
    assert_eq!(out, [steps(27) * 100, 1, 2, steps(27) * 100, steps(97) * 100 + 4]);
}

#[gpu_kernel]
pub fn moving(out: &mut [f64]) {
    let i = grid_1d();
    if i < out.len() {
        let mut factor = i as f64;
        let before = move |x: f64| x * factor;
        factor += 10.0;
        let after = |mut x: f64| {
            x += 1.0;
            x * factor
        };
        out[i] = before(2.0) + after(0.0);
    }
}

fn moved_variables_are_copies(bench: &Bench) {
    let mut out = vec![0.0; 3];
    launch!(bench, moving(&mut out), 1, 3);
    assert_eq!(out, [10.0, 13.0, 16.0]);
}

#[gpu_kernel(block = 32)]
pub fn smoothing(x: &[f32], out: &mut [f32]) {
    let mut tile = shared::<[f32; 34]>();
    let (t, i) = (thread_idx().x, grid_1d());
    let load = |k: usize| if k < x.len() { x[k] } else { 0.0 };
    tile[t + 1] = load(i);
    if t == 0 {
        tile[0] = if i > 0 { load(i - 1) } else { 0.0 };
        tile[33] = load(i + 32);
    }
    sync_threads();
    let weighted = |offset: usize, weight: f32| tile[t + offset] * weight;
    if i < out.len() {
        out[i] = weighted(0, 0.25) + weighted(1, 0.5) + weighted(2, 0.25);
    }
}

fn closures_read_shared_memory_between_barriers(bench: &Bench) {
    let x: Vec<f32> = (0..70).map(|i| (i * i % 13) as f32).collect();
    let mut out = vec![0.0; 70];
    launch!(bench, smoothing(&x, &mut out), 3, 32);
    let at = |i: usize| x.get(i).copied().unwrap_or(0.0);
    let expected = (0..70).map(|i| at(i.wrapping_sub(1)) * 0.25 + at(i) * 0.5 + at(i + 1) * 0.25);
    assert_eq!(out, expected.collect::<Vec<_>>());
}

/// The next state of a linear congruential generator, and a number from 0 to 1.
#[gpu_device]
fn draw(state: u64) -> (u64, f64) {
    let next = state * 6_364_136_223_846_793_005 + 1_442_695_040_888_963_407;
    (next, (next >> 11) as f64 / 9_007_199_254_740_992.0)
}

/// The mean of `f` over `samples` random points of `from..to`, times its length.
#[gpu_device]
fn monte_carlo(f: impl Fn(f64) -> f64, from: f64, to: f64, seed: u64, samples: u32) -> f64 {
    let mut state = seed;
    let mut sum = 0.0;
    for _ in 0..samples {
        let (next, uniform): (u64, f64) = draw(state);
        state = next;
        sum += f(from + (to - from) * uniform);
    }
    sum / samples as f64 * (to - from)
}

#[gpu_device]
fn reciprocal(x: f64) -> f64 {
    1.0 / x
}

#[gpu_kernel(fmad = false)]
pub fn integrating(seed: u64, power: f64, out: &mut [f64]) {
    let i = grid_1d();
    if i < out.len() {
        let own = seed + i as u64 * 0x9e37_79b9_7f4a_7c15;
        if i % 2 == 0 {
            out[i] = monte_carlo(reciprocal, 1.0, 2.0, own, 4000);
        } else {
            out[i] = monte_carlo(|x| x * x * power, 0.0, 3.0, own, 4000);
        }
    }
}

fn monte_carlo_integrates_what_it_is_given(bench: &Bench) {
    let mut out = vec![0.0f64; 64];
    launch!(bench, integrating(12345, 2.0, &mut out), 2, 32);
    let mean = |from: usize| out.iter().skip(from).step_by(2).sum::<f64>() / 32.0;
    assert!((mean(0) - 2f64.ln()).abs() < 2e-3, "{}", mean(0));
    assert!((mean(1) - 18.0).abs() < 0.2, "{}", mean(1));
    assert_eq!(out[2], monte_carlo(|x| 1.0 / x, 1.0, 2.0, 12345u64.wrapping_add(2u64.wrapping_mul(0x9e37_79b9_7f4a_7c15)), 4000));
}

/// The derivative of `f` at `x`, to fourth order in `h`.
#[gpu_device]
fn derivative<F>(f: F, x: f64, h: f64) -> f64
where
    F: Fn(f64) -> f64,
{
    (8.0 * (f(x + h) - f(x - h)) - (f(x + 2.0 * h) - f(x - 2.0 * h))) / (12.0 * h)
}

#[gpu_device]
fn wave(x: f64) -> f64 {
    x.sin() * x
}

#[gpu_kernel]
pub fn differentiating(x: &[f64], a: f64, slopes: &mut [f64], curvatures: &mut [f64]) {
    let i = grid_1d();
    if i < slopes.len() && i < curvatures.len() {
        slopes[i] = derivative(wave, x[i], 1e-3);
        curvatures[i] = derivative(|t: f64| derivative(|s: f64| a * s.exp(), t, 1e-3), x[i], 1e-3);
    }
}

fn derivatives_are_taken_of_functions_and_closures(bench: &Bench) {
    let x = vec![0.5f64, 1.0, -2.0];
    let (mut slopes, mut curvatures) = (vec![0.0; 3], vec![0.0; 3]);
    launch!(bench, differentiating(&x, 2.5, &mut slopes, &mut curvatures), 1, 3);
    for i in 0..3 {
        assert!((slopes[i] - (x[i].cos() * x[i] + x[i].sin())).abs() < 1e-9, "{} at {}", slopes[i], x[i]);
        assert!((curvatures[i] - 2.5 * x[i].exp()).abs() < 1e-6, "{} at {}", curvatures[i], x[i]);
    }
}

#[gpu_device]
fn twice(f: impl Fn(f32) -> f32, x: f32) -> f32 {
    f(f(x))
}

#[gpu_device]
fn four_times(f: impl Fn(f32) -> f32, x: f32) -> f32 {
    twice(&f, twice(&f, x)) + twice(|y: f32| f(y) - f(y), x)
}

#[gpu_device]
fn plus_half(x: f32) -> f32 {
    x + 0.5
}

#[gpu_kernel]
pub fn handing_on(out: &mut [f32]) {
    let i = grid_1d();
    if i < out.len() {
        let doubled = |x: f32| x * 2.0;
        let start = i as f32;
        out[i] = four_times(doubled, start) + twice(&doubled, start) + four_times(plus_half, start);
    }
}

fn functions_are_handed_on(bench: &Bench) {
    let mut out = vec![0.0; 4];
    launch!(bench, handing_on(&mut out), 1, 4);
    assert_eq!(out, [2.0, 23.0, 44.0, 65.0]);
}

#[gpu_device]
fn folded<T: Num, F: Fn(T, T) -> T, const N: usize>(f: F, start: T, x: &[T]) -> T {
    let mut value = start;
    for k in 0..N {
        value = f(value, x[k]);
    }
    value
}

#[gpu_device]
fn larger<T: Num>(a: T, b: T) -> T {
    a.max(b)
}

#[gpu_kernel]
pub fn folding<T: Num>(x: &[T], out: &mut [T]) {
    let i = grid_1d();
    if i < out.len() {
        let largest = folded::<T, _, 4>(larger::<T>, T::MIN, x);
        let sum = folded::<T, _, 3>(|a: T, b: T| a + b, x[i], x);
        out[i] = largest + sum;
    }
}

fn generic_functions_are_passed_with_their_types(bench: &Bench) {
    let mut out = vec![0.0f32; 2];
    bench.launch::<folding::Kernel<f32>>((&vec![1.5, -2.0, 4.0, 3.0], &mut out), 1, 2);
    assert_eq!(out, [9.0, 5.5]);
    let mut out = vec![0u8; 2];
    bench.launch::<folding::Kernel<u8>>((&vec![200, 100, 3, 4], &mut out), 1, 2);
    assert_eq!(out, [200u8.wrapping_add(247), 147u8.wrapping_add(200)]);
}

#[gpu_kernel]
pub fn nesting(x: &[i64], out: &mut [i64]) {
    let i = grid_1d();
    if i < out.len() {
        let outer = |a: i64| {
            let inner = |b: i64| a * 10 + b + x[i];
            inner(1) + inner(a)
        };
        out[i] = outer(2) + outer(i as i64);
    }
}

fn closures_in_closures_see_all_around_them(bench: &Bench) {
    let mut out = vec![0; 2];
    launch!(bench, nesting(&vec![100, 200], &mut out), 1, 2);
    assert_eq!(out, [444, 865]);
}

const CLOSURE_LINE: u32 = line!() + 5;

/// The second thread reads too far.
#[gpu_kernel]
pub fn reading_too_far(x: &[i32], out: &mut [i32]) {
    let at = |k: usize| x[k];
    let t = grid_1d();
    if t < out.len() {
        out[t] = at(t + 1);
    }
}

const QUOTIENT_LINE: u32 = line!() + 4;

#[gpu_device]
fn quotient(a: i32, b: i32) -> i32 {
    a / b
}

#[gpu_device]
fn combined(f: impl Fn(i32, i32) -> i32, a: i32, b: i32) -> i32 {
    f(a, b) + 1
}

#[gpu_kernel]
pub fn dividing(b: &[i32], out: &mut [i32]) {
    let t = grid_1d();
    if t < out.len() {
        out[t] = combined(quotient, 10, b[t]);
    }
}

fn failure(kernel: &str, line: u32, cause: gpu_runtime::FailureCause) -> Result<(), Failure> {
    Err(Failure { kernel: kernel.to_owned(), line, cause, block: [0; 3], thread: [1, 0, 0] })
}

fn failures_in_closures_end_the_thread(bench: &Bench) {
    let mut out = vec![0; 2];
    let outcome = try_launch!(bench, reading_too_far(&vec![5, 6], &mut out), 1, 2);
    assert_eq!(outcome, failure("reading_too_far", CLOSURE_LINE, IndexOutOfBounds { index: 2, len: 2 }));
    assert_eq!(out, [6, 0]);
}

fn failures_behind_functions_end_the_thread(bench: &Bench) {
    let mut out = vec![0; 2];
    let outcome = try_launch!(bench, dividing(&vec![5, 0], &mut out), 1, 2);
    assert_eq!(outcome, failure("dividing", QUOTIENT_LINE, DivisionByZero));
    assert_eq!(out, [3, 0]);
}

fn the_host_passes_ordinary_closures(_: &Bench) {
    let mut calls = std::cell::Cell::new(0);
    let counted = |x: f32| {
        calls.set(calls.get() + 1);
        x + 1.0
    };
    assert_eq!(twice(counted, 1.0), 3.0);
    assert_eq!((twice(f32::sqrt, 16.0), twice(plus_half, 1.0)), (2.0, 2.0));
    assert_eq!(*calls.get_mut(), 2);
    assert_eq!(folded::<i32, _, 2>(|a, b| a * b, 3, &[4, 5]), 60);
    assert!((derivative(f64::exp, 0.0, 1e-2) - 1.0).abs() < 1e-8);
}

#[derive(Clone, Copy, DeviceType)]
#[repr(C)]
struct Generator {
    state: u32,
}

#[gpu_device]
impl Generator {
    fn next(&mut self) -> u32 {
        self.state = self.state * 3 + 1;
        self.state % 10
    }
}

/// Numbers, fields, elements of arrays, and a variable that decides which branch is taken.
#[gpu_kernel]
pub fn captured(x: &[u32], out: &mut [u32]) {
    let i = grid_1d();
    if i < x.len() && i < out.len() {
        let mut generator = Generator { state: x[i] };
        let mut two_digits = || generator.next() * 10 + generator.next();
        let first = two_digits();
        let difference = two_digits() - two_digits();
        let mut histogram = [0; 4];
        let mut count = |value: u32| {
            histogram[(value % 4) as usize] += 1;
        };
        for k in 0..5 {
            count(x[i] * k);
        }
        count(first);
        let mut best = (0, 0);
        let mut seen = 0;
        let mut see = |value: u32| {
            seen += 1;
            if value > best.0 {
                best = (value, seen);
            }
            seen < 3
        };
        let mut k = 0;
        while see(x[i] + k) {
            k += 1;
        }
        // What holds before a call need not hold after it.
        let mut at = i;
        let mut advance = || at += 1;
        advance();
        let next = if at < x.len() { x[at] } else { 0 };
        out[i] = first + difference * 3 + histogram[0] * 1000 + histogram[1] * 10_000 + best.1 * 100_000 + seen * 1_000_000 + next;
    }
}

fn closures_change_what_they_capture(bench: &Bench) {
    let x = vec![1, 2, 5, 77];
    let mut out = vec![0; 4];
    launch!(bench, captured(&x, &mut out), 1, 32);
    let expected: Vec<u32> = (0..x.len())
        .map(|i| {
            let mut state: u32 = x[i];
            let mut next = || {
                state = state.wrapping_mul(3).wrapping_add(1);
                state % 10
            };
            let mut two_digits = || next() * 10 + next();
            let first = two_digits();
            let difference = two_digits().wrapping_sub(two_digits());
            let values = [0, x[i], x[i] * 2, x[i] * 3, x[i] * 4, first];
            let count = |rest| values.iter().filter(|value| **value % 4 == rest).count() as u32;
            let next = x.get(i + 1).copied().unwrap_or(0);
            let sum = first.wrapping_add(difference.wrapping_mul(3));
            sum.wrapping_add(count(0) * 1000 + count(1) * 10_000 + 300_000 + 3_000_000 + next)
        })
        .collect();
    assert_eq!(out, expected);
}

#[derive(Clone, Copy, DeviceType)]
#[repr(C)]
struct Point {
    x: f32,
    y: f32,
}

#[gpu_device]
fn mirrored(p: Point) -> Point {
    Point { x: p.y, y: p.x }
}

#[gpu_device]
fn slope(f: impl Fn(Point) -> f32, p: Point) -> f32 {
    f(Point { x: p.x + 1.0, ..p }) - f(p)
}

#[gpu_device]
fn applied_twice(f: impl Fn(Point) -> Point, p: Point) -> Point {
    f(f(p))
}

#[gpu_kernel(fmad = false)]
pub fn of_points(x: &[f32], out: &mut [f32]) {
    let i = grid_1d();
    if i < x.len() && i < out.len() {
        let scale = 3.0;
        let p = Point { x: x[i], y: 0.5 };
        let moved = applied_twice(|p: Point| Point { x: p.x + scale, ..p }, mirrored(p));
        out[i] = slope(|p: Point| p.x * scale + p.y, p) + moved.x + applied_twice(mirrored, p).x;
    }
}

fn functions_take_and_return_structs(bench: &Bench) {
    let x = vec![1.0f32, -2.0];
    let mut out = vec![0.0; 2];
    launch!(bench, of_points(&x, &mut out), 1, 32);
    assert_eq!(out, [3.0 + 6.5 + 1.0, 3.0 + 6.5 - 2.0]);
}
