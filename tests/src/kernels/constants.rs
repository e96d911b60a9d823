//! Constants: the user's, from several paths; those of std; those inside a kernel.

use gpu_runtime::prelude::*;

use crate::bench::{Bench, assert_same};
use crate::{cases, launch};

cases![
    constants_arrive_from_every_path,
    constants_of_every_type_keep_their_value,
    constants_inside_a_kernel_are_its_own,
    constants_of_std_are_there,
    constants_size_arrays_and_loops,
    operators_work_on_constants wraps = true,
    literals_take_the_types_of_constants_and_calls,
];

pub const FACTOR: i32 = 7;
/// Also what generated code calls the CUDA C of a kernel.
pub const UNIT: i32 = 19;
const DOUBLED: i32 = FACTOR * 2;

pub mod physics {
    pub const GRAVITY: f32 = 9.81;
    pub mod deep {
        pub const OFFSET: i32 = -1000;
        pub const SHARED_NAME: i32 = 3;
    }
}

use physics::deep::SHARED_NAME as RENAMED;

/// A type that has constants.
pub struct Settings;

impl Settings {
    pub const LIMIT: i32 = 12;
}

/// Paths of every form.
#[gpu_kernel]
pub fn paths(out: &mut [i32]) {
    if grid_1d() == 0 {
        out[0] = FACTOR;
        out[1] = DOUBLED + self::FACTOR;
        out[2] = physics::deep::OFFSET;
        out[3] = crate::kernels::constants::physics::deep::SHARED_NAME;
        out[4] = RENAMED * super::constants::FACTOR;
        out[5] = Settings::LIMIT;
        out[6] = other_crate::SCALE;
        out[7] = ::other_crate::SCALE - 1;
        out[9] = UNIT;
        let gravity: f32 = physics::GRAVITY;
        out[8] = (gravity * 100.0) as i32;
    }
}

fn constants_arrive_from_every_path(bench: &Bench) {
    let mut out = vec![0; 10];
    launch!(bench, paths(&mut out), 1, 1);
    assert_eq!(out, [7, 21, -1000, 3, 21, 12, 3, 2, 981, 19]);
}

const A: i8 = i8::MIN;
const B: i16 = i16::MIN;
const C: i32 = i32::MIN;
const D: i64 = i64::MIN;
const E: isize = isize::MIN;
const F: u8 = u8::MAX;
const G: u16 = u16::MAX;
const H: u32 = u32::MAX;
const I: u64 = u64::MAX;
const J: usize = usize::MAX;
const K: f32 = 1.0 / 3.0;
const L: f64 = -1e-310;
const M: bool = true;
const NOT_A_NUMBER: f32 = f32::NAN;
const LOW: f64 = f64::NEG_INFINITY;
const NEGATIVE_ZERO: f32 = -0.0;

/// One constant of every type, and the special floats.
#[gpu_kernel]
pub fn every_type(integers: &mut [i64], floats: &mut [f64], singles: &mut [f32]) {
    if grid_1d() == 0 {
        integers[0] = A as i64;
        integers[1] = B as i64;
        integers[2] = C as i64;
        integers[3] = D;
        integers[4] = E as i64;
        integers[5] = F as i64;
        integers[6] = G as i64;
        integers[7] = H as i64;
        integers[8] = I as i64;
        integers[9] = J as i64;
        integers[10] = M as i64;
        floats[0] = L;
        floats[1] = LOW;
        singles[0] = K;
        singles[1] = NOT_A_NUMBER;
        singles[2] = NEGATIVE_ZERO;
        singles[3] = -NEGATIVE_ZERO;
    }
}

fn constants_of_every_type_keep_their_value(bench: &Bench) {
    let (mut integers, mut floats, mut singles) = (vec![0; 11], vec![0.0; 2], vec![0.0; 4]);
    launch!(bench, every_type(&mut integers, &mut floats, &mut singles), 1, 1);
    assert_eq!(integers, [-128, -32768, -2147483648, i64::MIN, i64::MIN, 255, 65535, 4294967295, -1, -1, 1]);
    assert_same(&floats, &[-1e-310, f64::NEG_INFINITY]);
    assert_same(&singles, &[1.0 / 3.0, f32::NAN, -0.0, 0.0]);
}

/// `const` items in the body, one of which hides a constant of the module.
#[gpu_kernel]
pub fn inside(x: &[f32], out: &mut [f32]) {
    const FACTOR: f32 = 0.5;
    const COUNT: usize = 3;
    let i = grid_1d();
    if i < x.len() {
        const SHIFT: f32 = FACTOR + 1.0;
        let mut s = 0.0;
        for _ in 0..COUNT {
            s += x[i] * FACTOR;
        }
        out[i] = s + SHIFT;
    }
}

fn constants_inside_a_kernel_are_its_own(bench: &Bench) {
    let mut out = vec![0.0; 2];
    launch!(bench, inside(&vec![2.0, 10.0], &mut out), 1, 2);
    assert_same(&out, &[4.5, 16.5]);
}

/// Constants of std's modules and types.
#[gpu_kernel]
pub fn of_std(out: &mut [f64], bits: &mut [u32]) {
    if grid_1d() == 0 {
        out[0] = std::f64::consts::PI;
        out[1] = std::f32::consts::E as f64;
        out[2] = f32::EPSILON as f64 + core::f64::consts::SQRT_2;
        out[3] = f64::MAX;
        out[4] = (i16::MAX as i32 + i16::MIN as i32) as f64;
        out[5] = f64::INFINITY;
        bits[0] = u64::BITS + i8::BITS;
        bits[1] = u32::MAX - 1;
        bits[2] = f32::NAN.is_nan() as u32;
    }
}

fn constants_of_std_are_there(bench: &Bench) {
    let (mut out, mut bits) = (vec![0.0; 6], vec![0; 3]);
    launch!(bench, of_std(&mut out, &mut bits), 1, 1);
    let epsilon = f64::from(f32::EPSILON) + std::f64::consts::SQRT_2;
    assert_same(&out, &[std::f64::consts::PI, f64::from(std::f32::consts::E), epsilon, f64::MAX, -1.0, f64::INFINITY]);
    assert_eq!(bits, [72, u32::MAX - 1, 1]);
}

const N: usize = 4;
const WIDTH: usize = 2 * N + 1;

/// Array lengths and loop ends.
#[gpu_kernel(block = (N, 2))]
pub fn sizes(out: &mut [usize]) {
    let t = thread_idx();
    let mut a = [1; WIDTH];
    let mut b = [[0; N]; { N - 1 }];
    for i in 0..N {
        a[i + N] += i;
        b[N - 2][i] = a[i + N];
    }
    let mut sum = 0;
    for i in (N..WIDTH).rev() {
        sum = sum * 10 + a[i];
    }
    out[t.y * block_dim().x + t.x] = sum + b[2][3] * a.len() + t.x;
}

fn constants_size_arrays_and_loops(bench: &Bench) {
    let mut out = vec![0; 8];
    launch!(bench, sizes(&mut out), 1, (4, 2));
    let base = 14321 + 4 * 9;
    assert_eq!(out, [base, base + 1, base + 2, base + 3, base, base + 1, base + 2, base + 3]);
}

const SMALL: u8 = 200;
const BIG: i64 = i64::MAX;
const AMOUNT: u32 = 9;
const HALF: f32 = 0.5;
const YES: bool = true;

/// Operators of which only constants say the type.
#[gpu_kernel]
pub fn operators(small: &mut [u8], big: &mut [i64], half: &mut [f32], yes: &mut [bool]) {
    if grid_1d() == 0 {
        small[0] = SMALL + SMALL;
        small[1] = !SMALL;
        small[2] = SMALL << AMOUNT;
        small[3] = SMALL / F % SMALL | SMALL ^ F;
        let sum = BIG + BIG;
        big[0] = sum;
        big[1] = -BIG - BIG * BIG;
        big[2] = BIG / D;
        half[0] = HALF * HALF - HALF / K;
        half[1] = HALF % K;
        yes[0] = YES & M;
        yes[1] = !YES || SMALL > F;
        yes[2] = BIG >= D && HALF < K;
    }
}

fn operators_work_on_constants(bench: &Bench) {
    let (mut small, mut big, mut half, mut yes) = (vec![0; 4], vec![0; 3], vec![0.0; 2], vec![false; 3]);
    launch!(bench, operators(&mut small, &mut big, &mut half, &mut yes), 1, 1);
    assert_eq!(small, [144, 55, 144, 55]);
    assert_eq!(big, [-2, i64::MAX.wrapping_neg().wrapping_sub(1), 0]);
    assert_same(&half, &[0.25 - 0.5 / (1.0f32 / 3.0), 0.5 % (1.0f32 / 3.0)]);
    assert_eq!(yes, [true, false, false]);
}

pub mod limits {
    pub const BITS: u64 = 1 << 40;
    pub const BOUNCES: i8 = 3;
    pub const TILE: usize = 16;
    pub const THRESHOLD: f32 = 0.5;
    pub const ORIGIN: (f32, f32) = (1.0, 2.0);
}

/// A point and its label.
#[derive(Clone, Copy, DeviceType)]
#[repr(C)]
struct Labelled {
    at: (f32, i32),
    height: f32,
}

#[gpu_device]
fn labelled(x: f32) -> Labelled {
    Labelled { at: (x, 2), height: x + 1.0 }
}

#[gpu_device]
fn doubled(x: f32) -> f32 {
    x * 2.0
}

#[gpu_device]
fn collatz(n: u64) -> u64 {
    if n % 2 == 0 { n / 2 } else { n * 3 + 1 }
}

#[gpu_device]
fn both<T: Num>(x: T) -> (T, T) {
    (x, x + x)
}

#[gpu_device]
fn powers(x: f32) -> [f32; 3] {
    [1.0, x, x * x]
}

/// Only rustc knows the types of these constants and results.
#[gpu_kernel(fmad = false)]
pub fn literals_beside(x: &[f32], integers: &mut [u64], floats: &mut [f32]) {
    let i = grid_1d();
    if i < x.len() && i < integers.len() && i < floats.len() {
        let mut power = 1;
        let mut steps = 0u64;
        while power < limits::BITS {
            power = power * 2 + 1;
            steps += 1;
        }
        let mut bounces = 0;
        for bounce in 1..=limits::BOUNCES {
            bounces += bounce;
        }
        for _ in 0..limits::BOUNCES {
            steps += 100;
        }
        let remainder = match limits::TILE % 3 {
            0 => 10_000,
            1 => 20_000,
            _ => 30_000,
        };
        let negative = -1;
        let mut n = 6;
        while n > 1 {
            n = collatz(n);
            steps += 1_000_000;
        }
        integers[i] = power % 1000 + steps * 1000 + bounces as u64 + remainder + if limits::BOUNCES > negative { 7 } else { 0 } + n;

        let half = limits::THRESHOLD / 2.0;
        let mut table = powers(x[i]);
        table[0] += 0.5;
        let pair = both(x[i]);
        let scaled = doubled(x[i]) * 3.0 + doubled(1.0).max(0.0) / 4.0;
        let chosen = if i % 2 == 0 { doubled(x[i]) } else { doubled(x[i] + 1.0) };
        let p = labelled(chosen / 2.0);
        floats[i] = half + scaled + pair.1 + p.at.0 + labelled(x[i]).height * 2.0 + table[i % 3] + limits::ORIGIN.1;
    }
}

fn literals_take_the_types_of_constants_and_calls(bench: &Bench) {
    let x = vec![1.0f32, 2.5, 8.0];
    let (mut integers, mut floats) = (vec![0; 3], vec![0.0; 3]);
    launch!(bench, literals_beside(&x, &mut integers, &mut floats), 1, 32);
    let power = (1u64 << 41) - 1;
    let steps = 40 + 300 + 8_000_000;
    assert_eq!(integers, [power % 1000 + steps * 1000 + 6 + 20_000 + 7 + 1; 3]);
    let expected: Vec<f32> = x
        .iter()
        .zip(0..)
        .map(|(&x, i)| 0.25 + (x * 2.0 * 3.0 + 0.5) + 2.0 * x + (x + (i % 2) as f32) + (x + 1.0) * 2.0 + [1.5, x, x * x][i] + 2.0)
        .collect();
    assert_same(&floats, &expected);
}
