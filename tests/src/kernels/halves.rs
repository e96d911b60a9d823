//! Floats of 16 bits, number by number: conversions and operations of all bit patterns, or of pairs of many, against what rounding
//! means.

use gpu_runtime::prelude::*;
use half::{bf16, f16};

use crate::bench::{Bench, Same, assert_same};
use crate::{cases, launch, value_arguments};

cases![
    every_bit_pattern_is_widened,
    floats_are_rounded_once,
    integers_are_rounded_once,
    integers_come_out_as_by_casts_of_floats,
    operators_round_once,
    sums_of_products_round_once,
    comparisons_follow_ieee,
    every_bit_pattern_has_the_functions_of_the_crate,
    whole_numbers_and_roots_are_exact,
    places_are_updated,
    constants_are_those_of_the_crate,
];

value_arguments![f16, bf16];

/// A format by its definition, with no conversion of anybody's.
trait Format: Same + PartialOrd + 'static {
    const EXPONENT_BITS: u32;
    fn of_bits(bits: u16) -> Self;
    fn bits(self) -> u16;
}

impl Format for f16 {
    const EXPONENT_BITS: u32 = 5;
    fn of_bits(bits: u16) -> Self {
        f16::from_bits(bits)
    }
    fn bits(self) -> u16 {
        self.to_bits()
    }
}

impl Format for bf16 {
    const EXPONENT_BITS: u32 = 8;
    fn of_bits(bits: u16) -> Self {
        bf16::from_bits(bits)
    }
    fn bits(self) -> u16 {
        self.to_bits()
    }
}

/// What the bits stand for.
fn meaning<T: Format>(value: T) -> f64 {
    let fraction_bits = 15 - T::EXPONENT_BITS;
    let (bits, bias) = (value.bits(), (1 << (T::EXPONENT_BITS - 1)) - 1);
    let fraction = f64::from(bits & ((1 << fraction_bits) - 1)) / f64::from(1u16 << fraction_bits);
    let exponent = i32::from((bits & 0x7fff) >> fraction_bits);
    let size = match exponent {
        0 => fraction * 2f64.powi(1 - bias),
        highest if highest == 2 * bias + 1 && fraction == 0.0 => f64::INFINITY,
        highest if highest == 2 * bias + 1 => f64::NAN,
        exponent => (1.0 + fraction) * 2f64.powi(exponent - bias),
    };
    if bits >> 15 == 1 { -size } else { size }
}

/// The number of the format that is closest, by a search through all of them: of two, the one whose last bit is 0.
fn rounded<T: Format>(exact: f64) -> T {
    let infinity = ((1u16 << T::EXPONENT_BITS) - 1) << (15 - T::EXPONENT_BITS);
    if exact.is_nan() {
        return T::of_bits(infinity | 1);
    }
    let (mut below, mut above) = (0u16, infinity);
    while above - below > 1 {
        let middle = below + (above - below) / 2;
        if meaning(T::of_bits(middle)) <= exact.abs() { below = middle } else { above = middle }
    }
    // Beyond the largest number, as if there were a next one.
    let low = meaning(T::of_bits(below));
    let high = if above == infinity { 2.0 * low - meaning(T::of_bits(below - 1)) } else { meaning(T::of_bits(above)) };
    let half_way = (low + high) / 2.0;
    let is_above = exact.abs() > half_way || (exact.abs() == half_way && below % 2 == 1) || exact.is_infinite();
    T::of_bits(if is_above { above } else { below } | if exact.is_sign_negative() { 0x8000 } else { 0 })
}

/// All numbers of the format, and all `NaN`s.
fn all<T: Format>() -> Vec<T> {
    (0..=u16::MAX).map(T::of_bits).collect()
}

/// The ends of the format and of its ranges, and numbers from everywhere.
fn some<T: Format>() -> Vec<T> {
    let ends = (0..=T::EXPONENT_BITS.pow(2) as u16).flat_map(|k| [k, 0x7fff - k, 0x3c00 - k, 0x3f80 + k, 0x0400 - k, 0x0080 + k]);
    let spread = (0..160u16).map(|k| k.wrapping_mul(40503) & 0x7fff);
    let sizes: Vec<u16> = ends.chain(spread).collect();
    sizes.iter().flat_map(|&size| [size, size | 0x8000]).step_by(3).map(T::of_bits).collect()
}

fn pairs<T: Format>() -> (Vec<T>, Vec<T>) {
    let some = some::<T>();
    some.iter().flat_map(|&a| some.iter().map(move |&b| (a, b))).unzip()
}

/// The numbers of the format, those half-way between them, and what is next to either in `f64`.
fn near<T: Format>() -> Vec<f64> {
    let sizes = (0..0x7fff).step_by(7).chain(0x7b00..0x7c40).chain(0x7f60..0x7f81).chain(0..0x40);
    let exact = sizes.flat_map(|bits| {
        let (low, high) = (meaning(T::of_bits(bits)), meaning(T::of_bits(bits + 1)));
        [low, low / 2.0 + high / 2.0]
    });
    let with_neighbours =
        exact.flat_map(|x| [x, x.next_up(), x.next_down(), f64::from((x as f32).next_up()), f64::from((x as f32).next_down())]);
    with_neighbours.flat_map(|x| [x, -x]).chain([f64::MAX, f64::MIN_POSITIVE, 1e39, f64::INFINITY, f64::NEG_INFINITY, f64::NAN]).collect()
}

macro_rules! kernels {
    ($module:ident: $T:ident) => {
        pub mod $module {
            use gpu_runtime::prelude::*;
            use half::$T;

            #[gpu_kernel]
            pub fn widen(bits: &[u16], values: &mut [$T], single: &mut [f32], double: &mut [f64], back: &mut [u16]) {
                let i = grid_1d();
                if i < bits.len() {
                    let value: $T = $T::from_bits(bits[i]);
                    values[i] = value;
                    single[i] = value.to_f32();
                    double[i] = values[i].to_f64();
                    back[i] = value.to_bits();
                }
            }

            #[gpu_kernel]
            pub fn round(single: &[f32], double: &[f64], out: &mut [[$T; 4]]) {
                let i = grid_1d();
                if i < out.len() {
                    out[i][0] = $T::from_f32(single[i]);
                    out[i][1] = half::$T::from_f64(double[i]);
                    out[i][2] = single[i].cast::<$T>();
                    out[i][3] = double[i].cast::<$T>();
                }
            }

            #[gpu_kernel]
            pub fn round_integers(long: &[i64], out: &mut [[$T; 5]]) {
                let i = grid_1d();
                if i < out.len() {
                    let x = long[i];
                    out[i][0] = x.cast::<$T>();
                    out[i][1] = (x as u64).cast::<$T>();
                    out[i][2] = (x as i32).cast::<$T>();
                    out[i][3] = (x as usize).cast::<$T>();
                    out[i][4] = (x as i8).cast::<$T>();
                }
            }

            #[gpu_kernel]
            pub fn to_integers(x: &[$T], long: &mut [i64], unsigned: &mut [u32], byte: &mut [i8]) {
                let i = grid_1d();
                if i < x.len() {
                    long[i] = x[i].cast::<i64>();
                    unsigned[i] = x[i].to_f32() as u32;
                    byte[i] = x[i].cast::<i8>();
                }
            }

            #[gpu_kernel]
            pub fn operate(a: &[$T], b: &[$T], out: &mut [[$T; 6]]) {
                let i = grid_1d();
                if i < out.len() {
                    let (x, y) = (a[i], b[i]);
                    out[i][0] = x + y;
                    out[i][1] = x - y;
                    out[i][2] = x * y;
                    out[i][3] = x / y;
                    out[i][4] = x % y;
                    out[i][5] = -x;
                }
            }

            #[gpu_kernel]
            pub fn fuse(a: &[$T], b: &[$T], c: &[$T], out: &mut [[$T; 2]]) {
                let i = grid_1d();
                if i < out.len() {
                    let (x, y) = (a[i], b[i]);
                    out[i][0] = x.mul_add(y, c[i]);
                    // Never fused, so that the CPU computes the same.
                    out[i][1] = x * y + c[i];
                }
            }

            #[gpu_kernel]
            pub fn compare(a: &[$T], b: &[$T], out: &mut [[bool; 6]], ordered: &mut [[$T; 4]]) {
                let i = grid_1d();
                if i < out.len() && i < ordered.len() {
                    let (x, y) = (a[i], b[i]);
                    out[i] = [x == y, x != y, x < y, x <= y, x > y, x >= y];
                    ordered[i][0] = x.min(y);
                    ordered[i][1] = x.max(y);
                    ordered[i][2] = x.copysign(y);
                    ordered[i][3] = x.clamp($T::from_f32(-1.5), $T::from_f32(96.0));
                }
            }

            #[gpu_kernel]
            pub fn examine(x: &[$T], tests: &mut [[bool; 5]], out: &mut [[$T; 4]]) {
                let i = grid_1d();
                if i < x.len() && i < tests.len() && i < out.len() {
                    let x = x[i];
                    tests[i] = [x.is_nan(), x.is_infinite(), x.is_finite(), x.is_sign_negative(), x.is_sign_positive()];
                    out[i][0] = x.abs();
                    out[i][1] = x.signum();
                    out[i][2] = x.next_up();
                    out[i][3] = x.next_down();
                }
            }

            #[gpu_kernel]
            pub fn exact(x: &[$T], out: &mut [[$T; 8]]) {
                let i = grid_1d();
                if i < x.len() && i < out.len() {
                    let x = x[i];
                    out[i][0] = x.floor();
                    out[i][1] = x.ceil();
                    out[i][2] = x.trunc();
                    out[i][3] = x.round();
                    out[i][4] = x.round_ties_even();
                    out[i][5] = x.fract();
                    out[i][6] = x.sqrt();
                    out[i][7] = x.recip();
                }
            }

            #[gpu_kernel]
            pub fn update(x: &mut [$T], by: $T) {
                let i = grid_1d();
                if i < x.len() {
                    x[i] += by;
                    x[i] *= x[i];
                    x[i] -= $T::ONE;
                    x[i] /= by;
                    x[i] %= $T::from_f32(0.75);
                }
            }

            #[gpu_kernel]
            pub fn constants(out: &mut [$T], of_floats: &mut [f32], digits: &mut [u32]) {
                const QUARTER: $T = $T::from_f32_const(0.25);
                const TABLE: [$T; 3] = [$T::NEG_ONE, $T::NEG_INFINITY, $T::MIN_POSITIVE_SUBNORMAL];
                if grid_1d() == 0 {
                    out[0] = $T::MAX;
                    out[1] = $T::MIN;
                    out[2] = half::$T::EPSILON;
                    out[3] = $T::NAN;
                    out[4] = $T::INFINITY;
                    out[5] = -$T::NEG_ZERO;
                    out[6] = QUARTER;
                    out[7] = $T::PI * $T::ONE;
                    for k in 0..TABLE.len() {
                        out[8 + k] = TABLE[k];
                    }
                    of_floats[0] = $T::MAX.to_f32();
                    of_floats[1] = ($T::ONE / $T::SQRT_2).to_f32() * 2.0;
                    digits[0] = $T::MANTISSA_DIGITS;
                }
            }
        }
    };
}

kernels!(binary: f16);
kernels!(brain: bf16);

/// Runs the check for both formats, with their kernels.
macro_rules! for_both {
    ($($case:ident by $check:ident;)*) => {
        $(fn $case(bench: &Bench) {
            $check!(bench, binary, f16);
            $check!(bench, brain, bf16);
        })*
    };
}

for_both! {
    every_bit_pattern_is_widened by check_widening;
    floats_are_rounded_once by check_rounding;
    integers_are_rounded_once by check_integers;
    integers_come_out_as_by_casts_of_floats by check_casts;
    operators_round_once by check_operators;
    sums_of_products_round_once by check_sums_of_products;
    comparisons_follow_ieee by check_comparisons;
    every_bit_pattern_has_the_functions_of_the_crate by check_functions;
    whole_numbers_and_roots_are_exact by check_exact_functions;
    places_are_updated by check_updates;
    constants_are_those_of_the_crate by check_constants;
}

macro_rules! check_widening {
    ($bench:ident, $kernels:ident, $T:ident) => {
        let bits: Vec<u16> = (0..=u16::MAX).collect();
        let n = bits.len();
        let (mut values, mut single, mut double, mut back) = (vec![$T::ZERO; n], vec![0.0; n], vec![0.0; n], vec![0; n]);
        launch!($bench, $kernels::widen(&bits, &mut values, &mut single, &mut double, &mut back), n.div_ceil(256), 256);
        assert_same(&values, &all());
        let expected: Vec<f64> = all::<$T>().into_iter().map(meaning).collect();
        assert_same(&double, &expected);
        assert_same(&single, &expected.iter().map(|&x| x as f32).collect::<Vec<_>>());
        assert_eq!(back, bits);
    };
}
use check_widening;

macro_rules! check_rounding {
    ($bench:ident, $kernels:ident, $T:ident) => {
        let double = near::<$T>();
        let single: Vec<f32> = double.iter().map(|&x| x as f32).collect();
        let mut out = vec![[$T::ZERO; 4]; double.len()];
        launch!($bench, $kernels::round(&single, &double, &mut out), double.len().div_ceil(256), 256);
        let expected = |x: f64, s: f32| {
            let (double, single) = (rounded::<$T>(x), rounded::<$T>(f64::from(s)));
            [single, double, single, double]
        };
        let expected: Vec<_> = double.iter().zip(&single).flat_map(|(&x, &s)| expected(x, s)).collect();
        assert_same(out.as_flattened(), &expected);
    };
}
use check_rounding;

/// The `f64` that is rounded as the integer is: of its lowest bits, only whether there are any matters.
fn as_double(x: i128) -> f64 {
    let lost = x % 4096;
    let kept = (x - lost) as f64;
    if x.unsigned_abs() < 1 << 53 {
        x as f64
    } else if lost == 0 {
        kept
    } else {
        (x - lost + 2048 * lost.signum()) as f64
    }
}

macro_rules! check_integers {
    ($bench:ident, $kernels:ident, $T:ident) => {
        let powers = (0..63).map(|shift| 1i64 << shift);
        let near = powers.flat_map(|power| [power, power + (power >> 8), power + (power >> 11), power + 3 * (power >> 9)]);
        let signed = near.flat_map(|x| [x - 1, x, x + 1]).flat_map(|x| [x, x.wrapping_neg()]);
        let long: Vec<i64> = signed.chain([i64::MIN, i64::MAX, -1, 0, 65519, 65520, 65521]).collect();
        let mut out = vec![[$T::ZERO; 5]; long.len()];
        launch!($bench, $kernels::round_integers(&long, &mut out), long.len().div_ceil(128), 128);
        let of = |x: i128| rounded::<$T>(as_double(x));
        let each = |x: i64| [of(x.into()), of((x as u64).into()), of((x as i32).into()), of((x as u64).into()), of((x as i8).into())];
        assert_same(out.as_flattened(), &long.iter().flat_map(|&x| each(x)).collect::<Vec<_>>());
    };
}
use check_integers;

macro_rules! check_casts {
    ($bench:ident, $kernels:ident, $T:ident) => {
        let x = all::<$T>();
        let (mut long, mut unsigned, mut byte) = (vec![0; x.len()], vec![0; x.len()], vec![0; x.len()]);
        launch!($bench, $kernels::to_integers(&x, &mut long, &mut unsigned, &mut byte), x.len().div_ceil(256), 256);
        assert_same(&long, &x.iter().map(|&x| meaning(x) as i64).collect::<Vec<_>>());
        assert_same(&unsigned, &x.iter().map(|&x| meaning(x) as u32).collect::<Vec<_>>());
        assert_same(&byte, &x.iter().map(|&x| meaning(x) as i8).collect::<Vec<_>>());
    };
}
use check_casts;

macro_rules! check_operators {
    ($bench:ident, $kernels:ident, $T:ident) => {
        let (a, b) = pairs::<$T>();
        let mut out = vec![[$T::ZERO; 6]; a.len()];
        launch!($bench, $kernels::operate(&a, &b, &mut out), a.len().div_ceil(256), 256);
        // f64 has more than twice as many digits, and two more: rounding its results again changes nothing.
        let each = |x: f64, y: f64| [x + y, x - y, x * y, x / y, x % y, -x].map(rounded::<$T>);
        let expected: Vec<_> = a.iter().zip(&b).flat_map(|(&a, &b)| each(meaning(a), meaning(b))).collect();
        assert_same(out.as_flattened(), &expected);
    };
}
use check_operators;

macro_rules! check_sums_of_products {
    ($bench:ident, $kernels:ident, $T:ident) => {
        let (a, b) = pairs::<$T>();
        // Beside what is a little less or more than half of the last digit of the product, or far away.
        let summands = [1.0, -1.0, 0.5, 2f64.powi(-11), -(2f64.powi(-9)), 2f64.powi(-24), 3.0, 0.0];
        let c = |k: usize| rounded::<$T>(meaning(a[k]) * meaning(b[k]) * summands[k % 8]);
        let c: Vec<_> = (0..a.len()).map(c).collect();
        let mut out = vec![[$T::ZERO; 2]; a.len()];
        launch!($bench, $kernels::fuse(&a, &b, &c, &mut out), a.len().div_ceil(256), 256);
        let fused = |x: f64, y: f64, z: f64| {
            // Half-way cases that f64 cannot see: what it lost decides.
            let (product, sum) = (x * y, x * y + z);
            let change = sum - product;
            let rest = (product - (sum - change)) + (z - change);
            let exact = if rest > 0.0 {
                sum.next_up()
            } else if rest < 0.0 {
                sum.next_down()
            } else {
                sum
            };
            let by = [rounded::<$T>(sum), rounded::<$T>(exact)];
            if rest == 0.0 || rest.is_nan() { by[0] } else { by[1] }
        };
        let expected = a.iter().zip(&b).zip(&c).flat_map(|((&x, &y), &z)| {
            let (x, y, z) = (meaning(x), meaning(y), meaning(z));
            [fused(x, y, z), rounded::<$T>(meaning(rounded::<$T>(x * y)) + z)]
        });
        assert_same(out.as_flattened(), &expected.collect::<Vec<_>>());
    };
}
use check_sums_of_products;

macro_rules! check_comparisons {
    ($bench:ident, $kernels:ident, $T:ident) => {
        let (a, b) = pairs::<$T>();
        let (mut out, mut ordered) = (vec![[false; 6]; a.len()], vec![[$T::ZERO; 4]; a.len()]);
        launch!($bench, $kernels::compare(&a, &b, &mut out, &mut ordered), a.len().div_ceil(256), 256);
        let each = |x: f64, y: f64| [x == y, x != y, x < y, x <= y, x > y, x >= y];
        let expected: Vec<_> = a.iter().zip(&b).map(|(&a, &b)| each(meaning(a), meaning(b))).collect();
        assert_eq!(out, expected);
        let limits = [$T::from_f32(-1.5), $T::from_f32(96.0)];
        let each = |x: $T, y: $T| [x.min(y), x.max(y), x.copysign(y), x.clamp(limits[0], limits[1])];
        assert_same(ordered.as_flattened(), &a.iter().zip(&b).flat_map(|(&a, &b)| each(a, b)).collect::<Vec<_>>());
    };
}
use check_comparisons;

macro_rules! check_functions {
    ($bench:ident, $kernels:ident, $T:ident) => {
        let x = all::<$T>();
        let (mut tests, mut out) = (vec![[false; 5]; x.len()], vec![[$T::ZERO; 4]; x.len()]);
        launch!($bench, $kernels::examine(&x, &mut tests, &mut out), x.len().div_ceil(256), 256);
        for (x, (tests, [abs, signum, up, down])) in x.iter().zip(tests.into_iter().zip(out)) {
            assert_eq!(tests, [x.is_nan(), x.is_infinite(), x.is_finite(), x.is_sign_negative(), x.is_sign_positive()], "of {x:?}");
            assert_eq!(abs.to_bits(), x.to_bits() & 0x7fff, "of {x:?}");
            assert!(signum.same(x.signum()), "of {x:?}");
            // The next number is the next in the order of all.
            if x.is_nan() || *x == $T::INFINITY {
                assert!(up.same(*x), "of {x:?}");
            } else {
                assert!(up > *x && rounded::<$T>(meaning(*x) / 2.0 + meaning(up) / 2.0) >= *x, "{up:?} after {x:?}");
                let between = (meaning(*x) + meaning(up)) / 2.0;
                let nearest = rounded::<$T>(between);
                assert!(nearest == *x || nearest == up || up == $T::INFINITY, "{nearest:?} is between {x:?} and {up:?}");
            }
            assert!(down.same(-Float::next_up(-*x)), "of {x:?}");
        }
    };
}
use check_functions;

macro_rules! check_exact_functions {
    ($bench:ident, $kernels:ident, $T:ident) => {
        let x = all::<$T>();
        let mut out = vec![[$T::ZERO; 8]; x.len()];
        launch!($bench, $kernels::exact(&x, &mut out), x.len().div_ceil(256), 256);
        let each = |x: f64| [x.floor(), x.ceil(), x.trunc(), x.round(), x.round_ties_even(), x.fract(), x.sqrt(), x.recip()];
        let expected: Vec<_> = x.iter().flat_map(|&x| each(meaning(x)).map(rounded::<$T>)).collect();
        assert_same(out.as_flattened(), &expected);
    };
}
use check_exact_functions;

macro_rules! check_updates {
    ($bench:ident, $kernels:ident, $T:ident) => {
        let mut x = some::<$T>();
        let by = $T::from_f32(-1.75);
        let step = |x: f64| meaning(rounded::<$T>(x));
        let expected: Vec<$T> = x
            .iter()
            .map(|&x| {
                let sum = step(meaning(x) - 1.75);
                rounded(step(step(step(sum * sum) - 1.0) / -1.75) % 0.75)
            })
            .collect();
        let blocks = x.len().div_ceil(64);
        launch!($bench, $kernels::update(&mut x, by), blocks, 64);
        assert_same(&x, &expected);
    };
}
use check_updates;

macro_rules! check_constants {
    ($bench:ident, $kernels:ident, $T:ident) => {
        let (mut out, mut of_floats, mut digits) = (vec![$T::ZERO; 11], vec![0.0; 2], vec![0; 1]);
        launch!($bench, $kernels::constants(&mut out, &mut of_floats, &mut digits), 1, 32);
        let expected = [$T::MAX, $T::MIN, $T::EPSILON, $T::NAN, $T::INFINITY, $T::ZERO, $T::from_f32(0.25), $T::PI];
        assert_same(&out[..8], &expected);
        assert_same(&out[8..], &[$T::NEG_ONE, $T::NEG_INFINITY, $T::MIN_POSITIVE_SUBNORMAL]);
        assert_same(&of_floats, &[$T::MAX.to_f32(), ($T::ONE / $T::SQRT_2).to_f32() * 2.0]);
        assert_eq!(digits, [$T::MANTISSA_DIGITS]);
    };
}
use check_constants;
