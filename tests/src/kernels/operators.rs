//! Every operator on every type, alone and as a compound assignment, and short-circuit evaluation.

use gpu_runtime::prelude::*;

use crate::bench::{Bench, assert_same};
use crate::{cases, launch};

cases![
    a_negated_number_of_16_bits_stays_one wraps = true,
    arithmetic_wraps wraps = true,
    bits_and_shifts_are_masked wraps = true,
    division_truncates,
    compound_assignments_do_what_their_operators_do wraps = true,
    float_arithmetic_is_ieee,
    comparisons_know_nan,
    precedence_is_rusts,
    the_right_side_of_and_or_runs_only_if_needed,
    negation_reaches_the_smallest_number wraps = true,
];

/// Kernels for one integer type, in a module of their own. What they compute, as plain Rust.
macro_rules! integer_kernels {
    ($module:ident, $T:ident, $samples:expr) => {
        pub mod $module {
            use super::*;

            #[gpu_kernel]
            pub fn arithmetic(x: &[$T], y: &[$T], out: &mut [$T]) {
                let i = grid_1d();
                if i < x.len() {
                    out[4 * i] = x[i] + y[i];
                    out[4 * i + 1] = x[i] - y[i];
                    out[4 * i + 2] = x[i] * y[i];
                    out[4 * i + 3] = x[i] * x[i] + y[i] * 3 - 1;
                }
            }

            #[gpu_kernel]
            pub fn bits(x: &[$T], y: &[$T], amount: &[u32], out: &mut [$T]) {
                let i = grid_1d();
                if i < x.len() {
                    out[9 * i] = x[i] & y[i];
                    out[9 * i + 1] = x[i] | y[i];
                    out[9 * i + 2] = x[i] ^ y[i];
                    out[9 * i + 3] = !x[i];
                    out[9 * i + 4] = x[i] << amount[i];
                    out[9 * i + 5] = x[i] >> amount[i];
                    out[9 * i + 6] = x[i] << 3;
                    out[9 * i + 7] = x[i] >> 3;
                    out[9 * i + 8] = (x[i] << (amount[i] as u8)) >> (amount[i] as i64);
                }
            }

            #[gpu_kernel]
            pub fn division(x: &[$T], y: &[$T], out: &mut [$T]) {
                let i = grid_1d();
                if i < x.len() {
                    out[4 * i] = x[i] / y[i];
                    out[4 * i + 1] = x[i] % y[i];
                    out[4 * i + 2] = x[i] / 7;
                    out[4 * i + 3] = x[i] % 7;
                }
            }

            #[gpu_kernel]
            pub fn compound(x: &[$T], y: &[$T], out: &mut [$T]) {
                let i = grid_1d();
                if i < x.len() {
                    let mut a = x[i];
                    a += y[i];
                    a *= 5;
                    a -= x[i];
                    a |= 1;
                    a ^= y[i];
                    a <<= 2;
                    a >>= 1u8;
                    a &= !2;
                    a /= 3;
                    a %= 50;
                    out[i] += a;
                    out[i] <<= 1;
                    out[i] -= y[i];
                    out[i] /= 5;
                }
            }

            pub fn check(bench: &Bench) {
                let samples: Vec<$T> = $samples.to_vec();
                let (mut x, mut y) = (Vec::new(), Vec::new());
                for &a in &samples {
                    for &b in &samples {
                        x.push(a);
                        y.push(b);
                    }
                }
                let pairs = || x.iter().copied().zip(y.iter().copied());
                let n = x.len();

                let mut out = vec![0; 4 * n];
                launch!(bench, arithmetic(&x, &y, &mut out), n.div_ceil(32), 32);
                let square = |a: $T, b: $T| a.wrapping_mul(a).wrapping_add(b.wrapping_mul(3)).wrapping_sub(1);
                let expected: Vec<$T> =
                    pairs().flat_map(|(a, b)| [a.wrapping_add(b), a.wrapping_sub(b), a.wrapping_mul(b), square(a, b)]).collect();
                assert_same(&out, &expected);
            }

            pub fn check_bits(bench: &Bench) {
                let samples: Vec<$T> = $samples.to_vec();
                let (mut x, mut y, mut amount) = (Vec::new(), Vec::new(), Vec::new());
                for &a in &samples {
                    for b in 0..70u32 {
                        x.push(a);
                        y.push((b * 37) as $T);
                        amount.push(b);
                    }
                }
                let n = x.len();
                let mut out = vec![0; 9 * n];
                launch!(bench, bits(&x, &y, &amount, &mut out), n.div_ceil(64), 64);
                let expected: Vec<$T> = (0..n)
                    .flat_map(|i| {
                        let (a, b, by) = (x[i], y[i], amount[i] % <$T>::BITS);
                        [a & b, a | b, a ^ b, !a, a << by, a >> by, a << 3, a >> 3, (a << by) >> by]
                    })
                    .collect();
                assert_same(&out, &expected);
            }

            pub fn check_division(bench: &Bench) {
                let samples: Vec<$T> = $samples.to_vec();
                let (mut x, mut y) = (Vec::new(), Vec::new());
                for &a in &samples {
                    for &b in samples.iter().filter(|&&b| a.checked_div(b).is_some()) {
                        x.push(a);
                        y.push(b);
                    }
                }
                let n = x.len();
                let mut out = vec![0; 4 * n];
                launch!(bench, division(&x, &y, &mut out), n.div_ceil(32), 32);
                let expected: Vec<$T> = (0..n).flat_map(|i| [x[i] / y[i], x[i] % y[i], x[i] / 7, x[i] % 7]).collect();
                assert_same(&out, &expected);
            }

            pub fn check_compound(bench: &Bench) {
                let x: Vec<$T> = $samples.to_vec();
                let y: Vec<$T> = x.iter().rev().copied().collect();
                let mut out = vec![11; x.len()];
                launch!(bench, compound(&x, &y, &mut out), 1, 32);
                let expected: Vec<$T> = (x.iter().zip(&y))
                    .map(|(&x, &y)| {
                        let a = x.wrapping_add(y).wrapping_mul(5).wrapping_sub(x);
                        let a = (((((a | 1) ^ y) << 2) >> 1) & !2) / 3 % 50;
                        (a.wrapping_add(11) << 1).wrapping_sub(y) / 5
                    })
                    .collect();
                assert_same(&out, &expected);
            }
        }
    };
}

macro_rules! signed_samples {
    ($T:ident) => {
        [<$T>::MIN, <$T>::MIN + 1, -100, -7, -2, -1, 0, 1, 2, 3, 7, 100, <$T>::MAX - 1, <$T>::MAX]
    };
}

macro_rules! unsigned_samples {
    ($T:ident) => {
        [0, 1, 2, 3, 7, 100, <$T>::MAX / 2, <$T>::MAX / 2 + 1, <$T>::MAX - 1, <$T>::MAX]
    };
}

integer_kernels!(on_i8, i8, signed_samples!(i8));
integer_kernels!(on_i16, i16, signed_samples!(i16));
integer_kernels!(on_i32, i32, signed_samples!(i32));
integer_kernels!(on_i64, i64, signed_samples!(i64));
integer_kernels!(on_isize, isize, signed_samples!(isize));
integer_kernels!(on_u8, u8, unsigned_samples!(u8));
integer_kernels!(on_u16, u16, unsigned_samples!(u16));
integer_kernels!(on_u32, u32, unsigned_samples!(u32));
integer_kernels!(on_u64, u64, unsigned_samples!(u64));
integer_kernels!(on_usize, usize, unsigned_samples!(usize));

macro_rules! for_every_integer {
    ($check:ident, $bench:expr) => {
        for check in [
            on_i8::$check,
            on_i16::$check,
            on_i32::$check,
            on_i64::$check,
            on_isize::$check,
            on_u8::$check,
            on_u16::$check,
            on_u32::$check,
            on_u64::$check,
            on_usize::$check,
        ] {
            check($bench);
        }
    };
}

fn arithmetic_wraps(bench: &Bench) {
    for_every_integer!(check, bench);
}

fn bits_and_shifts_are_masked(bench: &Bench) {
    for_every_integer!(check_bits, bench);
}

fn division_truncates(bench: &Bench) {
    for_every_integer!(check_division, bench);
}

fn compound_assignments_do_what_their_operators_do(bench: &Bench) {
    for_every_integer!(check_compound, bench);
}

/// Kernels for one float type.
macro_rules! float_kernels {
    ($module:ident, $F:ident) => {
        pub mod $module {
            use super::*;

            #[gpu_kernel(fmad = false)]
            pub fn arithmetic(x: &[$F], y: &[$F], out: &mut [$F]) {
                let i = grid_1d();
                if i < x.len() {
                    out[8 * i] = x[i] + y[i];
                    out[8 * i + 1] = x[i] - y[i];
                    out[8 * i + 2] = x[i] * y[i];
                    out[8 * i + 3] = x[i] / y[i];
                    out[8 * i + 4] = x[i] % y[i];
                    out[8 * i + 5] = -x[i];
                    out[8 * i + 6] = x[i] * y[i] + x[i] - y[i] / 3.0;
                    let mut a = x[i];
                    a += y[i];
                    a *= 1.5;
                    a -= x[i];
                    a /= 7.0;
                    a %= 2.0;
                    out[8 * i + 7] = a;
                }
            }

            #[gpu_kernel]
            pub fn comparisons(x: &[$F], y: &[$F], out: &mut [u32]) {
                let i = grid_1d();
                if i < x.len() {
                    let mut set = 0;
                    if x[i] < y[i] {
                        set |= 1;
                    }
                    if x[i] <= y[i] {
                        set |= 2;
                    }
                    if x[i] > y[i] {
                        set |= 4;
                    }
                    if x[i] >= y[i] {
                        set |= 8;
                    }
                    if x[i] == y[i] {
                        set |= 16;
                    }
                    if x[i] != y[i] {
                        set |= 32;
                    }
                    if !(x[i] < y[i]) {
                        set |= 64;
                    }
                    out[i] = set;
                }
            }

            fn samples() -> (Vec<$F>, Vec<$F>) {
                let samples: [$F; 18] = [
                    0.0,
                    -0.0,
                    1.0,
                    -1.0,
                    0.1,
                    -2.5,
                    3.0,
                    1e30,
                    -1e-30,
                    <$F>::MAX,
                    <$F>::MIN,
                    <$F>::MIN_POSITIVE,
                    <$F>::MIN_POSITIVE / 4.0,
                    <$F>::EPSILON,
                    1.0 / 3.0,
                    <$F>::INFINITY,
                    <$F>::NEG_INFINITY,
                    <$F>::NAN,
                ];
                samples.iter().flat_map(|&a| samples.iter().map(move |&b| (a, b))).unzip()
            }

            pub fn check(bench: &Bench) {
                let (x, y) = samples();
                let mut out = vec![0.0; 8 * x.len()];
                launch!(bench, arithmetic(&x, &y, &mut out), x.len().div_ceil(64), 64);
                let expected: Vec<$F> = (x.iter().zip(&y))
                    .flat_map(|(&a, &b)| [a + b, a - b, a * b, a / b, a % b, -a, a * b + a - b / 3.0, ((a + b) * 1.5 - a) / 7.0 % 2.0])
                    .collect();
                assert_same(&out, &expected);
            }

            pub fn check_comparisons(bench: &Bench) {
                let (x, y) = samples();
                let mut out = vec![0; x.len()];
                launch!(bench, comparisons(&x, &y, &mut out), x.len().div_ceil(64), 64);
                let expected: Vec<u32> = (x.iter().zip(&y))
                    .map(|(a, b)| match a.partial_cmp(b) {
                        Some(std::cmp::Ordering::Less) => 1 | 2 | 32,
                        Some(std::cmp::Ordering::Equal) => 2 | 8 | 16 | 64,
                        Some(std::cmp::Ordering::Greater) => 4 | 8 | 32 | 64,
                        None => 32 | 64,
                    })
                    .collect();
                assert_eq!(out, expected);
            }
        }
    };
}

float_kernels!(on_f32, f32);
float_kernels!(on_f64, f64);

fn float_arithmetic_is_ieee(bench: &Bench) {
    on_f32::check(bench);
    on_f64::check(bench);
}

fn comparisons_know_nan(bench: &Bench) {
    on_f32::check_comparisons(bench);
    on_f64::check_comparisons(bench);
}

/// Expressions whose meaning differs in C.
#[gpu_kernel]
pub fn precedence(x: &[i32], out: &mut [i32]) {
    let i = grid_1d();
    if i < x.len() {
        let (a, b) = (x[i], 6);
        out[8 * i] = a & b + 1;
        out[8 * i + 1] = a - b - 1 - (a - (b - 1));
        out[8 * i + 2] = a ^ b | a & 3 << 1;
        out[8 * i + 3] = -a * -b % 5 - -1;
        out[8 * i + 4] = if a & 1 == 1 { 1 } else { 2 };
        out[8 * i + 5] = !-a + (a << 2 + 1) as i8 as i32;
        out[8 * i + 6] = (a as i64 * b as i64 - 1) as i32 / 2 * 2;
        out[8 * i + 7] = if (a == b) == (b == 6) || a > b && !(a == 9) { a } else { -(-(-a)) };
    }
}

fn precedence_is_rusts(bench: &Bench) {
    let x = vec![0, 1, 5, 6, 7, 9, 100, -3];
    let mut out = vec![0; 8 * x.len()];
    launch!(bench, precedence(&x, &mut out), 1, 8);
    let b = 6;
    let expected: Vec<i32> = (x.iter())
        .flat_map(|&a| {
            let last = if (a == 6) || (a > b && a != 9) { a } else { -a };
            [
                a & 7,
                -2,
                (a ^ b) | (a & 6),
                (a * b) % 5 + 1,
                if a.rem_euclid(2) == 1 { 1 } else { 2 },
                a - 1 + i32::from((a * 8) as i8),
                (a * b - 1) / 2 * 2,
                last,
            ]
        })
        .collect();
    assert_same(&out, &expected);
}

/// Right sides that would be out of bounds, divide by zero or have an effect.
#[gpu_kernel]
pub fn short_circuit(x: &[i32], out: &mut [i32]) {
    let i = grid_1d();
    if i < out.len() {
        let mut effects = 0;
        let inside = i < x.len() && x[i] > 0;
        let outside = i >= x.len() || x[i] <= 0;
        let nested = i < x.len() && (x[i] == 0 || 100 / x[i] > 10) && {
            effects += 1;
            x[i] != 3
        };
        if !(i >= x.len() || x[i] < 0) && x[x[i] as usize % x.len()] >= 0 {
            effects += 10;
        }
        while i < x.len() && effects < 100 && x[i] > effects {
            effects += 20;
        }
        out[i] = effects * 8 + inside as i32 + outside as i32 * 2 + nested as i32 * 4;
    }
}

fn the_right_side_of_and_or_runs_only_if_needed(bench: &Bench) {
    let x = vec![0, 3, 5, 200, -4];
    let mut out = vec![0; 8];
    launch!(bench, short_circuit(&x, &mut out), 1, 8);
    let expected: Vec<i32> = (0..8)
        .map(|i| {
            let x_i = x.get(i).copied();
            let mut effects = 0;
            let reached = x_i.is_some_and(|x| x == 0 || 100 / x > 10);
            effects += i32::from(reached);
            if x_i.is_some_and(|v| v >= 0 && x[v as usize % 5] >= 0) {
                effects += 10;
            }
            while x_i.is_some_and(|x| x > effects) && effects < 100 {
                effects += 20;
            }
            let inside = x_i.is_some_and(|x| x > 0);
            effects * 8 + i32::from(inside) + i32::from(!inside) * 2 + i32::from(reached && x_i != Some(3)) * 4
        })
        .collect();
    assert_eq!(out, expected);
}

/// `-x`, `-(MIN)` and literals at the edge.
#[gpu_kernel]
pub fn negation(x: &[i32], y: &[i8], z: &[i64], out: &mut [i64]) {
    let i = grid_1d();
    if i < x.len() {
        out[5 * i] = (-x[i]) as i64;
        out[5 * i + 1] = (-y[i]) as i64;
        out[5 * i + 2] = -z[i];
        out[5 * i + 3] = -2147483648i32 as i64 + -128i8 as i64 - -32768i16 as i64;
        out[5 * i + 4] = -9223372036854775808;
    }
}

fn negation_reaches_the_smallest_number(bench: &Bench) {
    let mut out = vec![0; 15];
    launch!(bench, negation(&vec![i32::MIN, 5, -1], &vec![i8::MIN, 127, 0], &vec![i64::MIN, i64::MAX, 1], &mut out), 1, 32);
    let constant = -2147483648 - 128 + 32768;
    assert_eq!(
        out,
        [
            -2147483648,
            -128,
            i64::MIN,
            constant,
            i64::MIN, //
            -5,
            -127,
            -i64::MAX,
            constant,
            i64::MIN, //
            1,
            0,
            -1,
            constant,
            i64::MIN,
        ]
    );
}

/// Numbers of 16 bits that are widened after their sign has changed, by each operation that changes it.
#[gpu_kernel]
pub fn widened_negation(a: &[i16], b: &[u16], out: &mut [i64]) {
    let i = grid_1d();
    if i < a.len() && i < b.len() {
        let (a, b) = (a[i], b[i]);
        out[6 * i] = -a as i64;
        out[6 * i + 1] = (0 - a) as i64;
        out[6 * i + 2] = (a * -1) as i64;
        out[6 * i + 3] = a.wrapping_abs() as i64;
        out[6 * i + 4] = (0 - b) as i64;
        out[6 * i + 5] = b.wrapping_neg() as i64;
    }
}

fn a_negated_number_of_16_bits_stays_one(bench: &Bench) {
    let (a, b) = (vec![i16::MIN, -5, 0, i16::MAX], vec![1 << 15, 5, 0, u16::MAX]);
    let mut out = vec![0; 24];
    launch!(bench, widened_negation(&a, &b, &mut out), 1, 32);
    let expected = |(&a, &b): (&i16, &u16)| {
        let (a, b) = (i64::from(a.wrapping_neg()), i64::from(b.wrapping_neg()));
        [a, a, a, if a == -32768 { a } else { a.abs() }, b, b]
    };
    assert_eq!(out, a.iter().zip(&b).flat_map(expected).collect::<Vec<i64>>());
}
