//! Generic device functions: with every kind of number, in each other, with slices, and what they report.

use gpu_runtime::FailureCause::{Assertion, DivisionByZero, DivisionOverflow};
use gpu_runtime::prelude::*;

use crate::bench::{Bench, Failure, assert_same};
use crate::{cases, launch, try_launch};

cases![
    one_function_serves_both_floats,
    numbers_of_every_type_are_computed_with wraps = true,
    integers_wrap_in_every_type wraps = true,
    integers_have_their_bits wraps = true,
    floats_have_the_methods_of_their_type,
    casts_are_those_of_as wraps = true,
    nan_gives_way_to_numbers,
    generic_functions_call_each_other,
    generic_functions_recur wraps = true,
    slices_and_arrays_of_any_number_are_passed wraps = true,
    types_follow_from_other_calls,
    types_can_be_named,
    integer_division_reports_and_float_division_does_not,
    limits_out_of_order_are_reported,
    generic_functions_run_on_the_host,
    bounds_of_std_stand_for_numbers,
    a_parameter_may_be_of_any_type_with_a_trait,
];

#[gpu_device]
fn lerp<T: Float>(a: T, b: T, t: T) -> T {
    a + (b - a) * t
}

/// Two instances in one kernel.
#[gpu_kernel(fmad = false)]
pub fn both_floats(x: &[f32], y: &[f64], single: &mut [f32], double: &mut [f64]) {
    let i = grid_1d();
    if i < x.len() {
        single[i] = lerp(x[i], 2.0, 0.1);
        double[i] = lerp(y[i], 2.0, 0.1);
    }
}

fn one_function_serves_both_floats(bench: &Bench) {
    let (x, y) = (vec![0.3f32, -7.5, 1e30], vec![0.3f64, -7.5, 1e30]);
    let (mut single, mut double) = (vec![0.0; 3], vec![0.0; 3]);
    launch!(bench, both_floats(&x, &y, &mut single, &mut double), 1, 4);
    assert_eq!(single, x.iter().map(|x| x + (2.0 - x) * 0.1).collect::<Vec<_>>());
    assert_eq!(double, y.iter().map(|y| y + (2.0 - y) * 0.1).collect::<Vec<_>>());
}

/// Everything that all numbers have.
#[gpu_device]
fn anything<T>(a: T, b: T) -> T
where
    T: Num,
{
    let mut best = T::ZERO;
    let three = T::from_i32(3);
    for _ in 0..2 {
        if a < b && b != T::MAX {
            best += a.max(b).clamp(T::ONE, three) * three - a % three;
        } else {
            best = best - b.min(a) / T::from_i32(2) + a.rem_euclid(three);
        }
    }
    best
}

#[gpu_kernel]
#[expect(clippy::too_many_arguments, reason = "one for each type")]
pub fn every_type(
    a: &[i32],
    b: &[i32],
    bytes: &mut [u8],
    shorts: &mut [i16],
    ints: &mut [i32],
    longs: &mut [i64],
    sizes: &mut [usize],
    singles: &mut [f32],
    doubles: &mut [f64],
) {
    let i = grid_1d();
    if i < a.len() {
        bytes[i] = anything(a[i] as u8, b[i] as u8);
        shorts[i] = anything(a[i] as i16, b[i] as i16);
        ints[i] = anything(a[i], b[i]);
        longs[i] = anything(a[i] as i64, b[i] as i64);
        sizes[i] = anything(a[i] as usize, b[i] as usize);
        singles[i] = anything(a[i] as f32, b[i] as f32);
        doubles[i] = anything(a[i] as f64, b[i] as f64);
    }
}

fn numbers_of_every_type_are_computed_with(bench: &Bench) {
    fn expected<T: Num>(a: &[i32], b: &[i32]) -> Vec<T> {
        a.iter().zip(b).map(|(a, b)| anything::<T>(a.cast(), b.cast())).collect()
    }
    let (a, b) = (vec![1, 7, -5, 100, 0, 300], vec![4, 2, -9, 1, 0, -300]);
    let (mut bytes, mut shorts, mut ints, mut longs) = (vec![0; 6], vec![0; 6], vec![0; 6], vec![0; 6]);
    let (mut sizes, mut singles, mut doubles) = (vec![0; 6], vec![0.0; 6], vec![0.0; 6]);
    launch!(bench, every_type(&a, &b, &mut bytes, &mut shorts, &mut ints, &mut longs, &mut sizes, &mut singles, &mut doubles), 1, 8);
    assert_eq!(ints[..3], [16, 0, 10]);
    assert_eq!(bytes, expected::<u8>(&a, &b));
    assert_eq!(shorts, expected::<i16>(&a, &b));
    assert_eq!(ints, expected::<i32>(&a, &b));
    assert_eq!(longs, expected::<i64>(&a, &b));
    assert_eq!(sizes, expected::<usize>(&a, &b));
    assert_eq!(singles, expected::<f32>(&a, &b));
    assert_eq!(doubles, expected::<f64>(&a, &b));
}

#[gpu_device]
fn beyond<T: Num>(x: T) -> T {
    (x + T::ONE) * T::from_i32(3) - T::MIN
}

#[gpu_device]
fn negated<T: Signed>(x: T) -> (T, T, T) {
    (-x, x.abs(), x.signum())
}

#[gpu_kernel]
pub fn wrapping(bytes: &mut [u8], small: &mut [i8], ints: &mut [i32], longs: &mut [i64], sizes: &mut [usize]) {
    let i = grid_1d();
    if i < ints.len() {
        bytes[i] = beyond(bytes[i]);
        sizes[i] = beyond(sizes[i]);
        ints[i] = beyond(ints[i]);
        longs[i] = beyond(longs[i]);
        let (minus, absolute, sign) = negated(small[i]);
        small[i] = minus + absolute * 2i8 + sign;
    }
}

fn integers_wrap_in_every_type(bench: &Bench) {
    let (mut bytes, mut small, mut ints) = (vec![255u8, 100], vec![i8::MIN, -5], vec![i32::MAX, 2]);
    let (mut longs, mut sizes) = (vec![i64::MAX, -9], vec![usize::MAX, 3]);
    launch!(bench, wrapping(&mut bytes, &mut small, &mut ints, &mut longs, &mut sizes), 1, 2);
    assert_eq!(bytes, [0, 47]);
    assert_eq!(small, [127, 14]);
    assert_eq!(ints, [0, i32::MIN + 9]);
    assert_eq!(longs, [0, i64::MAX - 23]);
    assert_eq!(sizes, [0, 12]);
}

#[gpu_device]
fn mixed_bits<T: Integer>(x: T, by: u32) -> T {
    let (sum, wrapped) = x.overflowing_add(T::MAX);
    let flag = if wrapped { T::ONE } else { T::ZERO };
    ((x << by) ^ (x >> 1) | !x & T::from_i32(0x55)).rotate_left(by) + flag - sum.saturating_mul(x)
        + T::from_i32(3).pow(by) * x.swap_bytes().wrapping_mul(x.reverse_bits())
}

#[gpu_device]
fn counted<T: Integer>(x: T) -> u32 {
    x.count_ones() * 10000 + x.leading_zeros() * 100 + x.trailing_ones()
}

#[gpu_kernel]
pub fn bits(x: &[i64], bytes: &mut [u8], shorts: &mut [i16], words: &mut [u32], longs: &mut [i64], counts: &mut [u32]) {
    let i = grid_1d();
    if i < x.len() {
        bytes[i] = mixed_bits(x[i] as u8, 3);
        shorts[i] = mixed_bits(x[i] as i16, 5);
        words[i] = mixed_bits(x[i] as u32, 7);
        longs[i] = mixed_bits(x[i], 9);
        counts[i] = counted(x[i] as u8) + counted(x[i] as i16) + counted(x[i]);
    }
}

fn integers_have_their_bits(bench: &Bench) {
    let x = vec![0i64, 1, -1, 0x1234_5678_9ABC_DEF0, i64::MIN];
    let (mut bytes, mut shorts, mut words, mut longs, mut counts) = (vec![0; 5], vec![0; 5], vec![0; 5], vec![0; 5], vec![0; 5]);
    launch!(bench, bits(&x, &mut bytes, &mut shorts, &mut words, &mut longs, &mut counts), 1, 8);
    assert_eq!(bytes, x.iter().map(|x| mixed_bits(*x as u8, 3)).collect::<Vec<_>>());
    assert_eq!(shorts, x.iter().map(|x| mixed_bits(*x as i16, 5)).collect::<Vec<_>>());
    assert_eq!(words, x.iter().map(|x| mixed_bits(*x as u32, 7)).collect::<Vec<_>>());
    assert_eq!(longs, x.iter().map(|x| mixed_bits(*x, 9)).collect::<Vec<_>>());
    let count = |ones: u32, zeros: u32, trailing: u32| ones * 10000 + zeros * 100 + trailing;
    assert_eq!(counts[0], count(0, 8, 0) + count(0, 16, 0) + count(0, 64, 0));
    assert_eq!(counts[2], count(8, 0, 8) + count(16, 0, 16) + count(64, 0, 64));
}

/// What is exact on every backend, and one that is not.
#[gpu_device]
fn shaped<T: Float>(x: T) -> T {
    if x.is_nan() || !x.is_finite() {
        return T::NEG_INFINITY;
    }
    let rounded = x.floor() + x.ceil() * T::from_f64(10.0) + x.round() + x.trunc() + x.fract() + x.round_ties_even();
    rounded
        + x.abs().sqrt()
        + x.powi(3)
        + x.mul_add(x, T::PI)
        + x.copysign(-T::ONE)
        + x.recip()
        + x.to_degrees()
        + T::from_f64(0.1)
        + T::EPSILON
}

#[gpu_device]
fn circle<T: Float>(angle: T) -> T {
    let (sine, cosine) = angle.sin_cos();
    let with_angle: T = cosine.atan2(sine) + angle.tan() + angle.exp().ln_1p() + angle.hypot(T::ONE) + angle.powf(T::from_f64(1.5));
    with_angle + sine.powi(2)
}

#[gpu_kernel(fmad = false)]
pub fn float_methods(x: &[f64], exact: &mut [f64], exact_single: &mut [f32], close: &mut [f64], close_single: &mut [f32]) {
    let i = grid_1d();
    if i < x.len() {
        exact[i] = shaped(x[i]);
        exact_single[i] = shaped(x[i] as f32);
        close[i] = circle(x[i]);
        close_single[i] = circle(x[i] as f32);
    }
}

fn floats_have_the_methods_of_their_type(bench: &Bench) {
    let x = vec![0.75, 2.5, 17.125, 0.001, 30.0, f64::INFINITY, f64::NAN];
    let n = x.len();
    let (mut exact, mut exact_single, mut close, mut close_single) = (vec![0.0; n], vec![0.0; n], vec![0.0; n], vec![0.0; n]);
    launch!(bench, float_methods(&x, &mut exact, &mut exact_single, &mut close, &mut close_single), 1, 8);
    assert_same(&exact, &x.iter().map(|x| shaped(*x)).collect::<Vec<_>>());
    assert_same(&exact_single, &x.iter().map(|x| shaped(*x as f32)).collect::<Vec<_>>());
    for (i, &x) in x.iter().enumerate().filter(|(_, x)| x.is_finite()) {
        let (double, single): (f64, f32) = (circle(x), circle(x as f32));
        assert!((close[i] - double).abs() <= double.abs() * 1e-14, "{x}: {} {double}", close[i]);
        assert!((close_single[i] - single).abs() <= single.abs() * 1e-5, "{x}: {} {single}", close_single[i]);
    }
}

#[gpu_device]
fn through<T: Num, U: Num>(x: T, least: U) -> U {
    x.cast::<U>().max(least)
}

#[gpu_kernel]
pub fn casts(x: &[f64], bytes: &mut [u8], ints: &mut [i32], longs: &mut [i64], singles: &mut [f32]) {
    let i = grid_1d();
    if i < x.len() {
        bytes[i] = through(x[i], 0u8);
        ints[i] = through(x[i] as f32, i32::MIN);
        longs[i] = through(ints[i], i64::MIN) + x[i].cast::<i64>();
        singles[i] = through(longs[i], -1.5f32) + f32::from_f64(x[i].fract()) + f32::ONE + f32::PI;
    }
}

fn casts_are_those_of_as(bench: &Bench) {
    let x = vec![-1.5, 255.9, 256.0, 1e20, -1e20, f64::NAN, 0.25];
    let (mut bytes, mut ints, mut longs, mut singles) = (vec![0; 7], vec![0; 7], vec![0; 7], vec![0.0; 7]);
    launch!(bench, casts(&x, &mut bytes, &mut ints, &mut longs, &mut singles), 1, 8);
    assert_eq!(bytes, [0, 255, 255, 255, 0, 0, 0]);
    assert_eq!(ints, x.iter().map(|x| *x as f32 as i32).collect::<Vec<_>>());
    assert_eq!(longs, x.iter().zip(&ints).map(|(x, int)| i64::from(*int).wrapping_add(*x as i64)).collect::<Vec<_>>());
    let expected = x.iter().zip(&longs).map(|(x, long)| (*long as f32).max(-1.5) + x.fract() as f32 + 1.0 + std::f32::consts::PI);
    assert_same(&singles, &expected.collect::<Vec<_>>());
}

#[gpu_device]
fn widest<T: Num>(a: T, b: T) -> T {
    a.max(b) - a.min(b)
}

#[gpu_kernel]
pub fn nan_operands(a: &[f32], b: &[f64], singles: &mut [f32], doubles: &mut [f64]) {
    let i = grid_1d();
    if i < a.len() {
        singles[i] = widest(a[i], f32::NAN);
        doubles[i] = widest(f64::NAN, b[i]);
    }
}

fn nan_gives_way_to_numbers(bench: &Bench) {
    let (mut singles, mut doubles) = (vec![1.0; 2], vec![1.0; 2]);
    launch!(bench, nan_operands(&vec![2.0, f32::NAN], &vec![-3.0, f64::NAN], &mut singles, &mut doubles), 1, 2);
    assert!(singles[0] == 0.0 && singles[1].is_nan() && doubles[0] == 0.0 && doubles[1].is_nan());
}

#[gpu_device]
fn smooth<T: Float>(t: T) -> T {
    let t = t.clamp(T::ZERO, T::ONE);
    t * t * (T::from_i32(3) - T::from_i32(2) * t)
}

#[gpu_device]
fn eased<T: Float>(a: T, b: T, t: T) -> T {
    lerp(a, b, smooth(t))
}

#[gpu_kernel(fmad = false)]
pub fn nested(x: &[f32], single: &mut [f32], double: &mut [f64]) {
    let i = grid_1d();
    if i < x.len() {
        single[i] = eased(1.0, x[i], 0.25) + eased(x[i], smooth(x[i]), lerp(x[i], x[i], 0.5));
        double[i] = eased(x[i] as f64, 8.0, 0.75);
    }
}

fn generic_functions_call_each_other(bench: &Bench) {
    let x = vec![0.5f32, -2.0, 0.3];
    let (mut single, mut double) = (vec![0.0; 3], vec![0.0; 3]);
    launch!(bench, nested(&x, &mut single, &mut double), 1, 4);
    let expected = x.iter().map(|&x| eased(1.0, x, 0.25) + eased(x, smooth(x), lerp(x, x, 0.5)));
    assert_same(&single, &expected.collect::<Vec<_>>());
    assert_same(&double, &x.iter().map(|&x| eased(f64::from(x), 8.0, 0.75)).collect::<Vec<_>>());
}

#[gpu_device]
fn factorial<T: Num>(n: T) -> T {
    if n <= T::ONE { T::ONE } else { n * factorial(n - T::ONE) }
}

/// Its type parameters change places with each call, so two instances call each other.
#[gpu_device]
fn halves<T: Num, U: Num>(a: T, b: U, depth: u32) -> f64 {
    if depth == 0 {
        return a.cast::<f64>() + b.cast::<f64>();
    }
    halves(b / U::from_i32(2), a, depth - 1)
}

#[gpu_kernel]
pub fn recursion(bytes: &mut [u8], doubles: &mut [f64], mixed: &mut [f64]) {
    let i = grid_1d();
    if i < bytes.len() {
        bytes[i] = factorial(i as u8);
        doubles[i] = factorial(i as f64);
        mixed[i] = halves(i as i32, i as f32, 3);
    }
}

fn generic_functions_recur(bench: &Bench) {
    let (mut bytes, mut doubles, mut mixed) = (vec![0; 8], vec![0.0; 8], vec![0.0; 8]);
    launch!(bench, recursion(&mut bytes, &mut doubles, &mut mixed), 1, 8);
    assert_eq!(bytes, [1, 1, 2, 6, 24, 120, 208, 176]);
    assert_eq!(doubles, [1.0, 1.0, 2.0, 6.0, 24.0, 120.0, 720.0, 5040.0]);
    assert_eq!(mixed, (0..8).map(|i| f64::from(i / 2) + f64::from(i) / 4.0).collect::<Vec<_>>());
}

#[gpu_device]
fn total<T: Num>(values: &[T]) -> T {
    let mut sum = T::ZERO;
    for i in 0..values.len() {
        sum += values[i];
    }
    sum
}

#[gpu_device]
fn scale_all<T: Num>(values: &mut [T], by: T) {
    for i in 0..values.len() {
        values[i] *= by;
    }
}

#[gpu_device]
fn powers<T: Num>(x: T) -> T {
    let mut list = [T::ONE, x, x * x, T::ZERO];
    list[3] = list[2] * x;
    scale_all(&mut list, T::from_i32(2));
    let sum: T = total(&list);
    let repeated = [sum; 3];
    repeated[0] + repeated[2]
}

#[gpu_kernel]
pub fn slices(x: &[f32], counts: &mut [i64], out: &mut [f32], bytes: &mut [u8]) {
    let mut tile = shared::<[f32; 4]>();
    let t = thread_idx().x;
    tile[t] = x[t] + 1.0;
    sync_threads();
    let local = [x[t], 2.0f32];
    if t == 0 {
        scale_all(counts, 3);
    }
    out[t] = total(x) + total(&local) + total(&tile) + powers(x[t]);
    bytes[t] = powers(t as u8 * 3);
}

fn slices_and_arrays_of_any_number_are_passed(bench: &Bench) {
    let x = vec![0.5, 1.5, -2.0, 8.0];
    let (mut counts, mut out, mut bytes) = (vec![5, -7, 1 << 40], vec![0.0; 4], vec![0; 4]);
    launch!(bench, slices(&x, &mut counts, &mut out, &mut bytes), 1, 4);
    assert_eq!(counts, [15, -21, 3 << 40]);
    assert_eq!(out, x.iter().map(|x| 8.0 + x + 2.0 + 12.0 + 4.0 * (1.0 + x + x * x + x * x * x)).collect::<Vec<f32>>());
    assert_eq!(bytes, [0u32, 3, 6, 9].map(|x| (4 * (1 + x + x * x + x * x * x)) as u8));
}

#[gpu_device]
fn rounded(x: f32) -> f32 {
    x.round()
}

#[gpu_device]
fn minmax<T: Num>(a: T, b: T) -> (T, T) {
    (a.min(b), a.max(b))
}

/// Arguments whose types only rustc sees.
#[gpu_kernel(fmad = false)]
pub fn inferred(x: &[f32], out: &mut [f32]) {
    let i = grid_1d();
    if i < x.len() {
        let near = rounded(x[i]);
        let step = lerp(near, rounded(x[i] + 0.5), rounded(0.6));
        let (low, high): (f32, f32) = minmax(step, near);
        let width: f32 = lerp(0.0, 8.0, 0.25);
        out[i] = lerp(smooth(near), -step, low) + high + width;
    }
}

fn types_follow_from_other_calls(bench: &Bench) {
    let x = vec![0.3f32, 1.7];
    let mut out = vec![0.0; 2];
    launch!(bench, inferred(&x, &mut out), 1, 2);
    let expected = x.iter().map(|x| {
        let (near, step) = (x.round(), (x + 0.5).round());
        lerp(smooth(near), -step, step.min(near)) + step.max(near) + 2.0
    });
    assert_same(&out, &expected.collect::<Vec<_>>());
}

#[gpu_device]
fn smallest_step<T: Float>() -> T {
    T::ONE + T::EPSILON - T::ONE
}

#[gpu_kernel]
pub fn named(single: &mut [f32], double: &mut [f64]) {
    single[0] = smallest_step::<f32>();
    double[0] = smallest_step::<f64>();
    single[1] = lerp::<f32>(0.0, 1.0, 0.1);
    double[1] = lerp::<f64>(0.0, 1.0, 0.1);
    double[2] = smallest_step();
    single[2] = through::<_, f32>(3u8, 0.5);
}

fn types_can_be_named(bench: &Bench) {
    let (mut single, mut double) = (vec![0.0; 3], vec![0.0; 3]);
    launch!(bench, named(&mut single, &mut double), 1, 1);
    assert_eq!(single, [f32::EPSILON, 0.1, 3.0]);
    assert_eq!(double, [f64::EPSILON, 0.1, f64::EPSILON]);
}

const DIVISION_LINE: u32 = line!() + 4;

#[gpu_device]
fn ratio<T: Num>(a: T, b: T) -> T {
    a / b
}

#[gpu_kernel]
pub fn dividing(ints: &mut [i32], floats: &mut [f32], bytes: &mut [u8], by: i32) {
    let i = grid_1d();
    if i < ints.len() {
        floats[i] = ratio(floats[i], by as f32);
        bytes[i] = ratio(bytes[i], 3);
        ints[i] = ratio(ints[i], by);
    }
}

fn failure(kernel: &str, line: u32, cause: gpu_runtime::FailureCause) -> Result<(), Failure> {
    Err(Failure { kernel: kernel.to_owned(), line, cause, block: [0; 3], thread: [0; 3] })
}

fn integer_division_reports_and_float_division_does_not(bench: &Bench) {
    let (mut ints, mut floats, mut bytes) = (vec![7], vec![1.0], vec![200]);
    assert_eq!(try_launch!(bench, dividing(&mut ints, &mut floats, &mut bytes, 2), 1, 1), Ok(()));
    assert_eq!((ints[0], floats[0], bytes[0]), (3, 0.5, 66));
    let outcome = try_launch!(bench, dividing(&mut ints, &mut floats, &mut bytes, 0), 1, 1);
    assert_eq!(outcome, failure("dividing", DIVISION_LINE, DivisionByZero));
    assert_eq!((floats[0], bytes[0]), (f32::INFINITY, 22));
    let outcome = try_launch!(bench, dividing(&mut vec![i32::MIN], &mut floats, &mut bytes, -1), 1, 1);
    assert_eq!(outcome, failure("dividing", DIVISION_LINE, DivisionOverflow));
}

const CLAMP_LINE: u32 = line!() + 4;

#[gpu_device]
fn limited<T: Num>(x: T, lowest: T, highest: T) -> T {
    x.clamp(lowest, highest)
}

#[gpu_kernel]
pub fn limiting(x: &mut [u8], lowest: u8) {
    x[0] = limited(x[0], lowest, 9);
}

fn limits_out_of_order_are_reported(bench: &Bench) {
    let mut x = vec![77];
    assert_eq!(try_launch!(bench, limiting(&mut x, 2), 1, 1), Ok(()));
    assert_eq!(x, [9]);
    let message = "the lower limit of `clamp` is at most the upper one";
    assert_eq!(try_launch!(bench, limiting(&mut x, 10), 1, 1), failure("limiting", CLAMP_LINE, Assertion { message }));
}

fn generic_functions_run_on_the_host(_: &Bench) {
    assert_eq!(lerp(0.0f32, 8.0, 0.25), 2.0);
    assert_eq!(lerp::<f64>(0.0, 8.0, 0.25), 2.0);
    assert_eq!(total(&[1u16, 2, 3]), 6);
    let mut values = [1i64, -2];
    scale_all(&mut values, 5);
    assert_eq!(values, [5, -10]);
    assert_eq!([1.5f32, -2.0].map(smooth), [1.0, 0.0]);
}

#[gpu_device]
fn larger<T: PartialOrd + Copy>(a: T, b: T) -> T {
    if a > b { a } else { b }
}

#[gpu_device]
fn multiplied_and_added<T>(a: T, b: T, c: T) -> T
where
    T: std::ops::Add<Output = T> + std::ops::Mul<Output = T> + Copy,
{
    a * b + c
}

#[gpu_device]
fn opposite<T: std::ops::Neg<Output = T> + Copy>(a: T) -> T {
    -a
}

#[gpu_device]
fn low_bits<T: Copy + std::ops::BitAnd<Output = T>>(a: T, mask: T) -> T {
    a & mask
}

#[gpu_device]
trait Area {
    fn area(self) -> f32;
}

#[derive(Clone, Copy, DeviceType)]
#[repr(C)]
struct Square {
    side: f32,
}

#[gpu_device]
impl Area for Square {
    fn area(self) -> f32 {
        self.side * self.side
    }
}

#[gpu_device]
fn area_of_both(first: impl Area, second: impl Area) -> f32 {
    first.area() + second.area()
}

#[gpu_device]
fn sum_of<A: Num, B: Num, C: Num, D: Num, E: Num, const N: usize>(a: A, b: B, c: C, d: D, e: E) -> f32 {
    a.cast::<f32>() + b.cast::<f32>() + c.cast::<f32>() + d.cast::<f32>() + e.cast::<f32>() + N as f32
}

#[gpu_kernel(fmad = false)]
pub fn with_bounds_of_std(x: &[f32], n: &[i64], floats: &mut [f32], integers: &mut [i64]) {
    let i = grid_1d();
    if i < x.len() && i < n.len() && i < floats.len() && i < integers.len() {
        let square = Square { side: x[i] };
        floats[i] = larger(x[i], 2.0) + multiplied_and_added(x[i], 2.0, 1.0) + opposite(x[i]) + area_of_both(square, Square { side: 1.0 });
        floats[i] += sum_of::<f32, u8, i64, i16, f64, 8>(x[i], 1, n[i], 2, 4.0);
        integers[i] = larger(n[i], 2) * 1000 + multiplied_and_added(n[i], 2, 1) + low_bits(n[i], 3);
    }
}

fn bounds_of_std_stand_for_numbers(bench: &Bench) {
    let (x, n) = (vec![9.0f32, 1.5], vec![-1i64, 7]);
    let (mut floats, mut integers) = (vec![0.0; 2], vec![0; 2]);
    launch!(bench, with_bounds_of_std(&x, &n, &mut floats, &mut integers), 1, 32);
    assert_eq!(floats, [9.0 + 19.0 - 9.0 + 82.0 + 9.0 - 1.0 + 15.0, 2.0 + 4.0 - 1.5 + 3.25 + 1.5 + 7.0 + 15.0]);
    assert_eq!(integers, [2000 - 1 + 3, 7000 + 15 + 3]);
}

/// On the host, they are the functions that they look like.
fn a_parameter_may_be_of_any_type_with_a_trait(_: &Bench) {
    assert_eq!(area_of_both(Square { side: 2.0 }, Square { side: 3.0 }), 13.0);
    assert_eq!(larger(2u8, 3), 3);
    assert_eq!(multiplied_and_added(2.0, 3.0, 4.0), 10.0);
}
