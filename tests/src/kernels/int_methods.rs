//! Every method of the integers.

use gpu_runtime::prelude::*;

use crate::bench::{Bench, assert_same};
use crate::{cases, launch, try_launch};

cases![
    every_method_of_every_integer_is_stds wraps = true,
    methods_of_signed_integers_are_stds wraps = true,
    methods_of_unsigned_integers_are_stds,
    methods_that_say_what_happens_on_overflow_are_stds wraps = true,
    a_zero_divisor_and_a_logarithm_of_zero_fail,
    methods_are_found_by_path_and_in_expressions,
    methods_of_indices_are_stds_in_32_bits_too wraps = true,
    integers_are_taken_apart_into_bytes wraps = true,
    characters_are_those_of_ascii,
];

/// The methods that all integers have.
macro_rules! integer_kernel {
    ($module:ident, $T:ident, $samples:expr) => {
        pub mod $module {
            use super::*;

            #[gpu_kernel]
            pub fn methods(x: &[$T], y: &[$T], amount: &[u32], out: &mut [$T], counts: &mut [u32], flags: &mut [bool]) {
                let i = grid_1d();
                if i < x.len() {
                    let (a, b, n) = (x[i], y[i], amount[i]);
                    out[24 * i] = a.min(b);
                    out[24 * i + 1] = a.max(b);
                    out[24 * i + 2] = a.clamp(3, 90);
                    out[24 * i + 3] = a.pow(n % 5);
                    out[24 * i + 4] = a.wrapping_add(b);
                    out[24 * i + 5] = a.wrapping_sub(b);
                    out[24 * i + 6] = a.wrapping_mul(b);
                    out[24 * i + 7] = a.wrapping_neg();
                    out[24 * i + 8] = a.wrapping_shl(n);
                    out[24 * i + 9] = a.wrapping_shr(n);
                    out[24 * i + 10] = a.wrapping_pow(n);
                    out[24 * i + 11] = a.saturating_add(b);
                    out[24 * i + 12] = a.saturating_sub(b);
                    out[24 * i + 13] = a.saturating_mul(b);
                    let (sum, sum_wrapped) = a.overflowing_add(b);
                    let (difference, difference_wrapped) = a.overflowing_sub(b);
                    let product = a.overflowing_mul(b);
                    out[24 * i + 14] = sum;
                    out[24 * i + 15] = difference;
                    out[24 * i + 16] = product.0;
                    out[24 * i + 17] = a.rotate_left(n);
                    out[24 * i + 18] = a.rotate_right(n);
                    out[24 * i + 19] = a.swap_bytes();
                    out[24 * i + 20] = a.reverse_bits();
                    out[24 * i + 21] = b.clamp(a.min(b), a.max(b));
                    out[24 * i + 22] = a.div_euclid(7);
                    out[24 * i + 23] = a.rem_euclid(7);
                    counts[6 * i] = a.count_ones();
                    counts[6 * i + 1] = a.count_zeros();
                    counts[6 * i + 2] = a.leading_zeros();
                    counts[6 * i + 3] = a.trailing_zeros();
                    counts[6 * i + 4] = a.leading_ones();
                    counts[6 * i + 5] = a.trailing_ones();
                    flags[3 * i] = sum_wrapped;
                    flags[3 * i + 1] = difference_wrapped;
                    flags[3 * i + 2] = product.1;
                }
            }

            pub fn check(bench: &Bench) {
                let samples: Vec<$T> = $samples.to_vec();
                let (mut x, mut y, mut amount) = (Vec::new(), Vec::new(), Vec::new());
                for (i, &a) in samples.iter().enumerate() {
                    for (j, &b) in samples.iter().enumerate() {
                        x.push(a);
                        y.push(b);
                        amount.push((i * 13 + j * 5) as u32);
                    }
                }
                let n = x.len();
                let (mut out, mut counts, mut flags) = (vec![0; 24 * n], vec![0; 6 * n], vec![false; 3 * n]);
                launch!(bench, methods(&x, &y, &amount, &mut out, &mut counts, &mut flags), n.div_ceil(32), 32);
                for i in 0..n {
                    let (a, b, n) = (x[i], y[i], amount[i]);
                    let expected = [
                        a.min(b),
                        a.max(b),
                        a.clamp(3, 90),
                        a.wrapping_pow(n % 5),
                        a.wrapping_add(b),
                        a.wrapping_sub(b),
                        a.wrapping_mul(b),
                        a.wrapping_neg(),
                        a.wrapping_shl(n),
                        a.wrapping_shr(n),
                        a.wrapping_pow(n),
                        a.saturating_add(b),
                        a.saturating_sub(b),
                        a.saturating_mul(b),
                        a.wrapping_add(b),
                        a.wrapping_sub(b),
                        a.wrapping_mul(b),
                        a.rotate_left(n),
                        a.rotate_right(n),
                        a.swap_bytes(),
                        a.reverse_bits(),
                        b,
                        a.div_euclid(7),
                        a.rem_euclid(7),
                    ];
                    assert_same(&out[24 * i..24 * (i + 1)], &expected);
                    let ones =
                        [a.count_ones(), a.count_zeros(), a.leading_zeros(), a.trailing_zeros(), a.leading_ones(), a.trailing_ones()];
                    assert_same(&counts[6 * i..6 * (i + 1)], &ones);
                    let wrapped = [a.checked_add(b).is_none(), a.checked_sub(b).is_none(), a.checked_mul(b).is_none()];
                    assert_same(&flags[3 * i..3 * (i + 1)], &wrapped);
                }
            }
        }
    };
}

/// The methods of signed integers only.
macro_rules! signed_kernel {
    ($module:ident, $T:ident, $U:ident, $samples:expr) => {
        pub mod $module {
            use super::*;

            #[gpu_kernel]
            pub fn signed(x: &[$T], y: &[$T], out: &mut [$T], distances: &mut [$U], flags: &mut [bool]) {
                let i = grid_1d();
                if i < x.len() {
                    let (a, b) = (x[i], y[i]);
                    out[5 * i] = a.abs();
                    out[5 * i + 1] = a.signum();
                    out[5 * i + 2] = a.wrapping_abs();
                    out[5 * i + 3] = if b == 0 || b == -1 { 0 } else { a.div_euclid(b) };
                    out[5 * i + 4] = if b == 0 || b == -1 { 0 } else { a.rem_euclid(b) };
                    distances[2 * i] = a.abs_diff(b);
                    distances[2 * i + 1] = a.unsigned_abs();
                    flags[2 * i] = a.is_positive();
                    flags[2 * i + 1] = a.is_negative();
                }
            }

            pub fn check(bench: &Bench) {
                let samples: Vec<$T> = $samples.to_vec();
                let (x, y): (Vec<$T>, Vec<$T>) = samples.iter().flat_map(|&a| samples.iter().map(move |&b| (a, b))).unzip();
                let n = x.len();
                let (mut out, mut distances, mut flags) = (vec![0; 5 * n], vec![0; 2 * n], vec![false; 2 * n]);
                launch!(bench, signed(&x, &y, &mut out, &mut distances, &mut flags), n.div_ceil(32), 32);
                for i in 0..n {
                    let (a, b) = (x[i], y[i]);
                    let (quotient, remainder) = if b == 0 || b == -1 { (0, 0) } else { (a.div_euclid(b), a.rem_euclid(b)) };
                    assert_same(&out[5 * i..5 * (i + 1)], &[a.wrapping_abs(), a.signum(), a.wrapping_abs(), quotient, remainder]);
                    assert_same(&distances[2 * i..2 * (i + 1)], &[a.abs_diff(b), a.unsigned_abs()]);
                    assert_same(&flags[2 * i..2 * (i + 1)], &[a > 0, a < 0]);
                }
            }
        }
    };
}

/// The methods of unsigned integers only.
macro_rules! unsigned_kernel {
    ($module:ident, $T:ident, $samples:expr) => {
        pub mod $module {
            use super::*;

            #[gpu_kernel]
            pub fn unsigned(x: &[$T], y: &[$T], out: &mut [$T], flags: &mut [bool]) {
                let i = grid_1d();
                if i < x.len() {
                    let (a, b) = (x[i], y[i]);
                    if b != 0 {
                        out[4 * i] = a.div_ceil(b);
                        out[4 * i + 1] = a.div_euclid(b);
                        out[4 * i + 2] = a.rem_euclid(b);
                    }
                    out[4 * i + 3] = a.abs_diff(b);
                    flags[i] = a.is_power_of_two();
                }
            }

            pub fn check(bench: &Bench) {
                let samples: Vec<$T> = $samples.to_vec();
                let (x, y): (Vec<$T>, Vec<$T>) = samples.iter().flat_map(|&a| samples.iter().map(move |&b| (a, b))).unzip();
                let n = x.len();
                let (mut out, mut flags) = (vec![0; 4 * n], vec![false; n]);
                launch!(bench, unsigned(&x, &y, &mut out, &mut flags), n.div_ceil(32), 32);
                for i in 0..n {
                    let (a, b) = (x[i], y[i]);
                    let divisor = b.max(1);
                    let some = |value: $T| if b == 0 { 0 } else { value };
                    let expected = [some(a.div_ceil(divisor)), some(a / divisor), some(a % divisor), a.max(b) - a.min(b)];
                    assert_same(&out[4 * i..4 * (i + 1)], &expected);
                    assert_eq!(flags[i], a.count_ones() == 1);
                }
            }
        }
    };
}

/// Every method of a character, by its bit in `flags`.
#[gpu_kernel]
pub fn characters(text: &[u8], flags: &mut [u8], upper: &mut [u8], lower: &mut [u8]) {
    let i = grid_1d();
    if i < text.len() && i < flags.len() && i < upper.len() && i < lower.len() {
        let c = text[i];
        let tests = [
            c.is_ascii(),
            c.is_ascii_alphabetic(),
            c.is_ascii_alphanumeric(),
            c.is_ascii_digit(),
            c.is_ascii_lowercase(),
            c.is_ascii_punctuation(),
            c.is_ascii_uppercase(),
            c.is_ascii_whitespace(),
        ];
        for (bit, test) in tests.iter().enumerate() {
            flags[i] |= u8::from(*test) << bit;
        }
        (upper[i], lower[i]) = (c.to_ascii_uppercase(), c.to_ascii_lowercase());
    }
}

fn characters_are_those_of_ascii(bench: &Bench) {
    let text: Vec<u8> = (0..=255).collect();
    let (mut flags, mut upper, mut lower) = (vec![0; 256], vec![0; 256], vec![0; 256]);
    launch!(bench, characters(&text, &mut flags, &mut upper, &mut lower), 8, 32);
    let expected = text.iter().map(|c| {
        let letters = [c.is_ascii(), c.is_ascii_alphabetic(), c.is_ascii_alphanumeric(), c.is_ascii_digit()];
        let others = [c.is_ascii_lowercase(), c.is_ascii_punctuation(), c.is_ascii_uppercase(), c.is_ascii_whitespace()];
        letters.into_iter().chain(others).rev().fold(0, |flags, test| 2 * flags + u8::from(test))
    });
    assert_same(&flags, &expected.collect::<Vec<u8>>());
    assert_same(&upper, &text.to_ascii_uppercase());
    assert_same(&lower, &text.to_ascii_lowercase());
}

macro_rules! signed_samples {
    ($T:ident) => {
        [<$T>::MIN, <$T>::MIN + 1, <$T>::MIN / 2, -100, -8, -3, -1, 0, 1, 2, 3, 7, 64, 100, <$T>::MAX / 3, <$T>::MAX - 1, <$T>::MAX]
    };
}

macro_rules! unsigned_samples {
    ($T:ident) => {
        [0, 1, 2, 3, 7, 64, 100, <$T>::MAX / 3, <$T>::MAX / 2, <$T>::MAX / 2 + 1, <$T>::MAX - 1, <$T>::MAX]
    };
}

/// The methods whose names say what they do where there is no result: they never differ from std's, in any build.
macro_rules! overflow_kernel {
    ($module:ident, $T:ident, $samples:expr, [$($divided:ident)*], [$($power:ident)*], [$($only:ident)*]) => {
        pub mod $module {
            use super::*;

            #[gpu_kernel]
            pub fn overflow(x: &[$T], y: &[$T], amount: &[u32], out: &mut [$T], flags: &mut [bool], logs: &mut [u32]) {
                let i = grid_1d();
                if i < x.len() {
                    let (a, b, n) = (x[i], y[i], amount[i]);
                    let divisor = if b == 0 { 1 } else { b };
                    let divided = [$(a.$divided(divisor)),*];
                    for k in 0..divided.len() {
                        out[24 * i + k] = divided[k];
                    }
                    let powers = [$(a.$power(n)),*];
                    for k in 0..powers.len() {
                        out[24 * i + 8 + k] = powers[k];
                    }
                    let only = [$(a.$only()),*];
                    for k in 0..only.len() {
                        out[24 * i + 13 + k] = only[k];
                    }
                    let pairs =
                        [a.overflowing_div(divisor), a.overflowing_rem(divisor), a.overflowing_pow(n), a.overflowing_neg(), a.overflowing_shl(n), a.overflowing_shr(n)];
                    for k in 0..pairs.len() {
                        out[24 * i + 16 + k] = pairs[k].0;
                        flags[6 * i + k] = pairs[k].1;
                    }
                    out[24 * i + 22] = a.checked_div_euclid(b).unwrap_or(77);
                    out[24 * i + 23] = a.checked_rem_euclid(b).unwrap_or(a.checked_pow(n).unwrap_or(78));
                    if a > 0 {
                        logs[2 * i] = a.ilog2();
                        logs[2 * i + 1] = a.ilog10();
                    }
                }
            }

            pub fn check(bench: &Bench) {
                let samples: Vec<$T> = $samples.to_vec();
                let (x, y): (Vec<$T>, Vec<$T>) = samples.iter().flat_map(|&a| samples.iter().map(move |&b| (a, b))).unzip();
                let n = x.len();
                let amount: Vec<u32> = (0..n as u32).map(|i| i * 7 % 67).collect();
                let (mut out, mut flags, mut logs) = (vec![0; 24 * n], vec![false; 6 * n], vec![0; 2 * n]);
                launch!(bench, overflow(&x, &y, &amount, &mut out, &mut flags, &mut logs), n.div_ceil(32), 32);
                for i in 0..n {
                    let (a, b, n) = (x[i], y[i], amount[i]);
                    let divisor = if b == 0 { 1 } else { b };
                    let mut expected = vec![0; 24];
                    for (k, value) in [$(<$T>::$divided(a, divisor)),*].into_iter().enumerate() {
                        expected[k] = value;
                    }
                    for (k, value) in [$(<$T>::$power(a, n)),*].into_iter().enumerate() {
                        expected[8 + k] = value;
                    }
                    let only: Vec<$T> = vec![$(<$T>::$only(a)),*];
                    expected[13..13 + only.len()].copy_from_slice(&only);
                    let pairs =
                        [a.overflowing_div(divisor), a.overflowing_rem(divisor), a.overflowing_pow(n), a.overflowing_neg(), a.overflowing_shl(n), a.overflowing_shr(n)];
                    for (k, (value, wrapped)) in pairs.into_iter().enumerate() {
                        expected[16 + k] = value;
                        assert_eq!(flags[6 * i + k], wrapped, "{k} of {a} and {divisor}, {n}");
                    }
                    expected[22] = a.checked_div_euclid(b).unwrap_or(77);
                    expected[23] = a.checked_rem_euclid(b).unwrap_or(a.checked_pow(n).unwrap_or(78));
                    assert_eq!(out[24 * i..24 * (i + 1)], expected, "{a} and {b}, {n}");
                    assert_eq!(logs[2 * i..2 * i + 2], [a.checked_ilog2().unwrap_or(0), a.checked_ilog10().unwrap_or(0)], "{a}");
                }
            }
        }
    };
}

macro_rules! overflow_kernels {
    (signed: $($signed:ident $S:ident),*; unsigned: $($unsigned:ident $U:ident),*) => {
        $(overflow_kernel! {
            $signed, $S, signed_samples!($S),
            [wrapping_div wrapping_rem wrapping_div_euclid wrapping_rem_euclid saturating_div],
            [saturating_pow unbounded_shl unbounded_shr],
            [saturating_neg saturating_abs]
        })*
        $(overflow_kernel! {
            $unsigned, $U, unsigned_samples!($U),
            [wrapping_div wrapping_rem wrapping_div_euclid wrapping_rem_euclid saturating_div midpoint],
            [saturating_pow unbounded_shl unbounded_shr],
            [isqrt]
        })*

        fn methods_that_say_what_happens_on_overflow_are_stds(bench: &Bench) {
            $($signed::check(bench);)*
            $($unsigned::check(bench);)*
        }
    };
}

overflow_kernels! {
    signed: overflow_i8 i8, overflow_i16 i16, overflow_i32 i32, overflow_i64 i64, overflow_isize isize;
    unsigned: overflow_u8 u8, overflow_u16 u16, overflow_u32 u32, overflow_u64 u64, overflow_usize usize
}

/// What they fail for, `which` of them.
#[gpu_kernel]
pub fn undefined(x: &[i32], n: &[u32], which: u32, out: &mut [i32]) {
    let i = grid_1d();
    if i < x.len() && i < n.len() && i < out.len() {
        out[i] = match which {
            0 => 7i32.wrapping_rem(x[i]),
            1 => i32::MIN.saturating_div(x[i]),
            2 => 7i32.overflowing_div(x[i]).0,
            3 => n[i].next_multiple_of(n[i]) as i32,
            4 => x[i].ilog2() as i32,
            _ => n[i].ilog10() as i32,
        };
    }
}

fn a_zero_divisor_and_a_logarithm_of_zero_fail(bench: &Bench) {
    for which in 0..6 {
        let mut out = vec![0; 2];
        let of_numbers = try_launch!(bench, undefined(&vec![2, 3], &vec![1, 12], which, &mut out), 1, 32);
        let of_zero = try_launch!(bench, undefined(&vec![1, 0], &vec![1, 0], which, &mut out), 1, 32);
        assert!(of_numbers.is_ok() && of_zero.is_err(), "{which}");
    }
}

integer_kernel!(on_i8, i8, signed_samples!(i8));
integer_kernel!(on_i16, i16, signed_samples!(i16));
integer_kernel!(on_i32, i32, signed_samples!(i32));
integer_kernel!(on_i64, i64, signed_samples!(i64));
integer_kernel!(on_isize, isize, signed_samples!(isize));
integer_kernel!(on_u8, u8, unsigned_samples!(u8));
integer_kernel!(on_u16, u16, unsigned_samples!(u16));
integer_kernel!(on_u32, u32, unsigned_samples!(u32));
integer_kernel!(on_u64, u64, unsigned_samples!(u64));
integer_kernel!(on_usize, usize, unsigned_samples!(usize));

signed_kernel!(signed_i8, i8, u8, signed_samples!(i8));
signed_kernel!(signed_i16, i16, u16, signed_samples!(i16));
signed_kernel!(signed_i32, i32, u32, signed_samples!(i32));
signed_kernel!(signed_i64, i64, u64, signed_samples!(i64));
signed_kernel!(signed_isize, isize, usize, signed_samples!(isize));

unsigned_kernel!(unsigned_u8, u8, unsigned_samples!(u8));
unsigned_kernel!(unsigned_u16, u16, unsigned_samples!(u16));
unsigned_kernel!(unsigned_u32, u32, unsigned_samples!(u32));
unsigned_kernel!(unsigned_u64, u64, unsigned_samples!(u64));
unsigned_kernel!(unsigned_usize, usize, unsigned_samples!(usize));

fn every_method_of_every_integer_is_stds(bench: &Bench) {
    for check in [
        on_i8::check,
        on_i16::check,
        on_i32::check,
        on_i64::check,
        on_isize::check,
        on_u8::check,
        on_u16::check,
        on_u32::check,
        on_u64::check,
        on_usize::check,
    ] {
        check(bench);
    }
}

fn methods_of_signed_integers_are_stds(bench: &Bench) {
    for check in [signed_i8::check, signed_i16::check, signed_i32::check, signed_i64::check, signed_isize::check] {
        check(bench);
    }
}

fn methods_of_unsigned_integers_are_stds(bench: &Bench) {
    for check in [unsigned_u8::check, unsigned_u16::check, unsigned_u32::check, unsigned_u64::check, unsigned_usize::check] {
        check(bench);
    }
}

/// `i32::max(a, b)`, chains, and methods of results.
#[gpu_kernel]
pub fn by_path(x: &[i32], out: &mut [i32]) {
    let i = grid_1d();
    if i < x.len() {
        out[4 * i] = i32::max(x[i], -3).min(i32::pow(2, 5));
        out[4 * i + 1] = (x[i] + 1).abs().pow(2) - -x[i].abs();
        out[4 * i + 2] = u32::count_ones(x[i] as u32).wrapping_shl(3) as i32;
        out[4 * i + 3] = (if x[i] > 0 { 5i32 } else { -5 }).signum() * (x[i] % 3).rem_euclid(3);
    }
}

fn methods_are_found_by_path_and_in_expressions(bench: &Bench) {
    let x = vec![-100, -1, 0, 7, 100];
    let mut out = vec![0; 20];
    launch!(bench, by_path(&x, &mut out), 1, 8);
    let expected: Vec<i32> = (x.iter())
        .flat_map(|&x: &i32| {
            let sign = if x > 0 { 1 } else { -1 };
            [x.clamp(-3, 32), (x + 1) * (x + 1) + x.abs(), 8 * x.count_ones() as i32, sign * x.rem_euclid(3)]
        })
        .collect();
    assert_eq!(out, expected);
}

/// A launch shows that all of it can be computed in 32 bits.
#[gpu_kernel]
pub fn of_indices(x: &[u32], n: usize, m: usize, out: &mut [u32]) {
    let i = grid_1d();
    if i < out.len() && x.len() > 0 && m > 0 {
        let mut sum = x[(i + n).saturating_sub(m).min(x.len() - 1)];
        for k in 0..n.div_ceil(m) {
            sum = sum.wrapping_mul(3) ^ k as u32;
        }
        let near = i.abs_diff(n).clamp(1, m) * n.div_euclid(m) + i.rem_euclid(m) * i.isqrt();
        let wrapped = i.wrapping_sub(n).wrapping_mul(m).wrapping_add(n.pow(3));
        if n.is_power_of_two() {
            sum ^= n.ilog2() << 8 ^ n.ilog10() << 16;
        }
        out[i] = sum ^ near as u32 ^ wrapped as u32;
    }
}

fn methods_of_indices_are_stds_in_32_bits_too(bench: &Bench) {
    let x: Vec<u32> = (1..=10).map(|k| k * 1_000_003).collect();
    for (n, m) in [(0, 1), (1, 1), (7, 3), (8, 5), (64, 64), (100, 7), (4095, 1000)] {
        let mut out = vec![0; 50];
        launch!(bench, of_indices(&x, n, m, &mut out), 2, 32);
        let expected = (0..50usize).map(|i| {
            let sum = (0..n.div_ceil(m)).fold(x[(i + n).saturating_sub(m).min(9)], |sum, k| sum.wrapping_mul(3) ^ k as u32);
            let sum = if n.is_power_of_two() { sum ^ n.ilog2() << 8 ^ n.ilog10() << 16 } else { sum };
            let near = i.abs_diff(n).clamp(1, m) * n.div_euclid(m) + i.rem_euclid(m) * i.isqrt();
            sum ^ near as u32 ^ i.wrapping_sub(n).wrapping_mul(m).wrapping_add(n.pow(3)) as u32
        });
        assert_eq!(out, expected.collect::<Vec<u32>>(), "{n} and {m}");
    }
}

macro_rules! byte_kernels {
    ($($name:ident: $T:ident, $N:literal),* $(,)?) => {
        $(#[gpu_kernel]
        pub fn $name(x: &[$T], out: &mut [u64]) {
            let i = grid_1d();
            if i < x.len() && i < out.len() {
                let (big, little, native) = (x[i].to_be_bytes(), x[i].to_le_bytes(), x[i].to_ne_bytes());
                let mut sum = 0u64;
                for k in 0..$N {
                    sum = sum * 31 + big[k] as u64;
                    sum = sum * 37 + little[k] as u64;
                }
                let mut reversed = little;
                reversed[0] = 7;
                let changed = $T::MAX ^ $T::MIN;
                out[i] = sum ^ ($T::from_be_bytes(reversed) as u64) ^ ($T::from_le_bytes(big) as u64) ^ ($T::from_ne_bytes(native) ^ changed) as u64;
            }
        })*

        fn integers_are_taken_apart_into_bytes(bench: &Bench) {
            $({
                let x: Vec<$T> = vec![0, 1, 2, 100, $T::MAX, $T::MIN, $T::MAX / 3, $T::MAX / 7 * 5];
                let mut out = vec![0; x.len()];
                launch!(bench, $name(&x, &mut out), 1, 32);
                let expected: Vec<u64> = x
                    .iter()
                    .map(|x| {
                        let (big, little) = (x.to_be_bytes(), x.to_le_bytes());
                        let sum = big.iter().zip(little).fold(0u64, |sum, (&big, little)| {
                            sum.wrapping_mul(31).wrapping_add(big.into()).wrapping_mul(37).wrapping_add(little.into())
                        });
                        let mut reversed = little;
                        reversed[0] = 7;
                        sum ^ ($T::from_be_bytes(reversed) as u64) ^ ($T::from_le_bytes(big) as u64) ^ (x ^ ($T::MAX ^ $T::MIN)) as u64
                    })
                    .collect();
                assert_eq!(out, expected);
            })*
        }
    };
}

byte_kernels![bytes_u8: u8, 1, bytes_i16: i16, 2, bytes_u32: u32, 4, bytes_i32: i32, 4, bytes_u64: u64, 8, bytes_i64: i64, 8];
