//! Every function: on the CPU against std's method, and its kernel by NVRTC.

use crate::compile::nvrtc::testing::{assert_all_compile, nvrtc_or_skip};
use crate::device::Device;
use crate::functions;
use crate::scalar::Float;
use crate::source::Element;

/// Types of arguments, and values to try.
trait Sample: Element {
    const EDGES: &'static [Self];

    /// One of many values between the edges.
    fn ordinary(number: usize) -> Self;

    /// The values for a function of so many arguments, which is called with every combination.
    fn samples(arguments: usize) -> Vec<Self> {
        let ordinary = if arguments == 1 { 300 } else { 4 };
        Self::EDGES.iter().copied().chain((0..ordinary).map(Self::ordinary)).collect()
    }
}

macro_rules! samples {
    ($($T:ident)*: $edges:expr; $number:ident => $ordinary:expr) => {$(
        impl Sample for $T {
            const EDGES: &'static [Self] = {
                type T = $T;
                &$edges
            };

            fn ordinary($number: usize) -> Self {
                $ordinary as $T
            }
        }
    )*};
}

samples! {
    f32 f64: [
        0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 1.5, -2.5, 1e-9, -1e-9, 100.0, 1e10, T::MIN_POSITIVE / 4.0, T::MAX, T::MIN, T::INFINITY,
        T::NEG_INFINITY, T::NAN
    ]; number => (number * 7919 % 1000) as f64 / 100.0 - 5.0
}
samples! { i32: [0, 1, -1, 2, -3, 31, 32, 1000, T::MAX, T::MIN, T::MIN + 1]; number => number * 7_919_000 }
samples! { u8 u32: [0, 1, 2, 3, 7, 8, 31, 32, 100, T::MAX, T::MAX - 1]; number => number * 73 }

impl Sample for bool {
    const EDGES: &'static [Self] = &[false, true];

    fn ordinary(number: usize) -> Self {
        number % 2 == 1
    }
}

/// Elements that equal themselves even if they are NaN.
trait Same: Copy + std::fmt::Debug {
    fn same(self, other: Self) -> bool;
}

macro_rules! same {
    ($($T:ty)*) => {$(
        impl Same for $T {
            #[allow(clippy::eq_op, clippy::float_cmp)]
            fn same(self, other: Self) -> bool {
                self == other || (self != self && other != other)
            }
        }
    )*};
}

same! { f32 f64 i32 u8 u32 bool }

/// Compiles the kernels, if this machine has NVRTC.
fn compile(test: &str, sources: &[String]) {
    let Some(nvrtc) = nvrtc_or_skip(test) else { return };
    assert_all_compile(nvrtc, "map.cu", sources);
}

/// A test of functions for types `T`, of arrays for the first: `function(arguments) if they are allowed => what std computes`.
macro_rules! family {
    ($test:ident for [$First:ident $($T:ident)*] $table:tt) => {
        #[test]
        #[allow(unused_assignments, clippy::redundant_closure_call)]
        fn $test() {
            let mut sources = Vec::new();
            family! { @type sources array $First $table }
            $(family! { @type sources elements $T $table })*
            compile(stringify!($test), &sources);
        }
    };
    (@type $sources:ident $how:ident $T:ident {$($name:ident($($arg:ident: $type:ty),+) $(if $allowed:expr)? => $expected:expr;)*}) => {{
        #[allow(dead_code)]
        type T = $T;
        $(family! { @function $sources $how $name($($arg: $type),+) [$($allowed,)? true] => $expected })*
    }};
    (@function $sources:ident $how:ident $name:ident($($arg:ident: $type:ty),+) [$allowed:expr $(, $rest:expr)?] => $expected:expr) => {{
        let arity = [$(stringify!($arg)),+].len();
        let combinations: usize = [$(<$type as Sample>::samples(arity).len()),+].into_iter().product();
        let mut rest: Vec<usize> = (0..combinations).collect();
        $(let $arg: Vec<$type> = arguments(&mut rest, arity);)+
        // The combinations that are allowed, by number, and what std computes.
        let (mut numbers, mut expected) = (Vec::new(), Vec::new());
        for number in 0..combinations {
            $(let $arg: $type = $arg[number];)+
            if $allowed {
                numbers.push(number);
                expected.push($expected);
            }
        }
        assert!(numbers.len() > 30, "{} calls of {}", numbers.len(), stringify!($name));
        $(let $arg: Vec<$type> = those(&numbers, &$arg);)+
        let device = Device::cpu();
        let lazy = functions::$name::map($(&$arg),+).on(&device);
        $sources.push(lazy.cuda_source().unwrap());
        let found = family! { @compute $how lazy numbers $name($($arg),+) };
        assert_all_same(stringify!($name), &found, &expected, &|call| format!("{:?}", ($($arg[call],)+)));
    }};
    (@compute array $lazy:ident $numbers:ident $name:ident($($arg:ident),+)) => { $lazy.to_host().unwrap() };
    // A loop over arrays for each function and type would take rustc long.
    (@compute elements $lazy:ident $numbers:ident $name:ident($($arg:ident),+)) => {
        elements($numbers.len(), &|call| functions::$name($($arg[call]),+))
    };
}

/// The next argument of each combination with that number.
fn arguments<T: Sample>(combinations: &mut [usize], arity: usize) -> Vec<T> {
    let samples = T::samples(arity);
    let next = |combination: &mut usize| {
        let sample = samples[*combination % samples.len()];
        *combination /= samples.len();
        sample
    };
    combinations.iter_mut().map(next).collect()
}

/// The values with these numbers.
fn those<T: Copy>(numbers: &[usize], values: &[T]) -> Vec<T> {
    numbers.iter().map(|&number| values[number]).collect()
}

fn elements<T>(len: usize, element: &dyn Fn(usize) -> T) -> Vec<T> {
    (0..len).map(element).collect()
}

fn assert_all_same<T: Same>(function: &str, found: &[T], expected: &[T], arguments: &dyn Fn(usize) -> String) {
    assert_eq!(found.len(), expected.len(), "{function}");
    for (call, (found, expected)) in found.iter().zip(expected).enumerate() {
        assert!(found.same(*expected), "{function}{}: {found:?}, and {expected:?} in Rust", arguments(call));
    }
}

family! { arithmetic_of_floats_is_that_of_rust for [f32 f64] {
    add(a: T, b: T) => a + b;
    sub(a: T, b: T) => a - b;
    mul(a: T, b: T) => a * b;
    div(a: T, b: T) => a / b;
    rem(a: T, b: T) => a % b;
    div_euclid(a: T, b: T) => a.div_euclid(b);
    rem_euclid(a: T, b: T) => a.rem_euclid(b);
    neg(x: T) => -x;
    abs(x: T) => x.abs();
    signum(x: T) => x.signum();
    sign(x: T) => if x == 0.0 { 0.0 } else { x.signum() };
    square(x: T) => x * x;
    recip(x: T) => x.recip();
    mul_add(x: T, factor: T, summand: T) => x.mul_add(factor, summand);
    copysign(x: T, sign: T) => x.copysign(sign);
    min(a: T, b: T) => a.min(b);
    max(a: T, b: T) => a.max(b);
    minimum(a: T, b: T) => if a.is_nan() || b.is_nan() { T::NAN } else { a.min(b) };
    maximum(a: T, b: T) => if a.is_nan() || b.is_nan() { T::NAN } else { a.max(b) };
    clamp(x: T, lowest: T, highest: T) if lowest <= highest => x.clamp(lowest, highest);
} }

family! { arithmetic_of_integers_is_that_of_rust_and_wraps for [i32 u8] {
    add(a: T, b: T) => a.wrapping_add(b);
    sub(a: T, b: T) => a.wrapping_sub(b);
    mul(a: T, b: T) => a.wrapping_mul(b);
    div(a: T, b: T) if a.checked_div(b).is_some() => a / b;
    rem(a: T, b: T) if a.checked_rem(b).is_some() => a % b;
    div_euclid(a: T, b: T) if a.checked_div(b).is_some() => a.div_euclid(b);
    rem_euclid(a: T, b: T) if a.checked_rem(b).is_some() => a.rem_euclid(b);
    square(x: T) => x.wrapping_mul(x);
    min(a: T, b: T) => a.min(b);
    max(a: T, b: T) => a.max(b);
    minimum(a: T, b: T) => a.min(b);
    maximum(a: T, b: T) => a.max(b);
    clamp(x: T, lowest: T, highest: T) if lowest <= highest => x.clamp(lowest, highest);
    pow(x: T, exponent: u32) => x.wrapping_pow(exponent);
    shl(x: T, amount: u32) => x.wrapping_shl(amount);
    shr(x: T, amount: u32) => x.wrapping_shr(amount);
    count_ones(x: T) => x.count_ones();
    leading_zeros(x: T) => x.leading_zeros();
    trailing_zeros(x: T) => x.trailing_zeros();
} }

family! { signs_of_integers_are_those_of_rust for [i32] {
    neg(x: T) => x.wrapping_neg();
    abs(x: T) => x.wrapping_abs();
    signum(x: T) => x.signum();
    sign(x: T) => x.signum();
} }

family! { comparisons_are_those_of_rust for [f32 f64 i32 u8] {
    less(a: T, b: T) => a < b;
    less_equal(a: T, b: T) => a <= b;
    greater(a: T, b: T) => a > b;
    greater_equal(a: T, b: T) => a >= b;
    equal(a: T, b: T) => a == b;
    not_equal(a: T, b: T) => a != b;
} }

family! { questions_about_floats_are_answered_as_in_rust for [f32 f64] {
    is_nan(x: T) => x.is_nan();
    is_infinite(x: T) => x.is_infinite();
    is_finite(x: T) => x.is_finite();
    is_sign_negative(x: T) => x.is_sign_negative();
} }

family! { logic_is_that_of_rust for [bool i32 u8] {
    and(a: T, b: T) => a & b;
    or(a: T, b: T) => a | b;
    xor(a: T, b: T) => a ^ b;
    not(x: T) => !x;
} }

family! { one_of_two_elements_is_selected for [f32 f64 i32 u8 bool] {
    select(condition: bool, if_true: T, if_false: T) => if condition { if_true } else { if_false };
} }

family! { elementary_functions_are_those_of_rust for [f32 f64] {
    sqrt(x: T) => x.sqrt();
    cbrt(x: T) => x.cbrt();
    hypot(a: T, b: T) => a.hypot(b);
    powi(x: T, exponent: i32) => x.powi(exponent);
    powf(x: T, exponent: T) => x.powf(exponent);
    exp2(x: T) => x.exp2();
    exp_m1(x: T) => x.exp_m1();
    ln_1p(x: T) => x.ln_1p();
    log2(x: T) => x.log2();
    log10(x: T) => x.log10();
    log(x: T, base: T) => x.log(base);
    floor(x: T) => x.floor();
    ceil(x: T) => x.ceil();
    round(x: T) => x.round();
    round_ties_even(x: T) => x.round_ties_even();
    trunc(x: T) => x.trunc();
    fract(x: T) => x.fract();
} }

// How close these forms are to the functions of Rust, the tests of `scalar::vectors` show.
family! { array_functions_use_the_forms_for_vectors for [f32 f64] {
    exp(x: T) => Float::vector_exp(x);
    ln(x: T) => Float::vector_ln(x);
    tanh(x: T) => Float::vector_tanh(x);
} }

family! { trigonometric_functions_are_those_of_rust for [f32 f64] {
    sin(x: T) => x.sin();
    cos(x: T) => x.cos();
    tan(x: T) => x.tan();
    asin(x: T) => x.asin();
    acos(x: T) => x.acos();
    atan(x: T) => x.atan();
    atan2(y: T, x: T) => y.atan2(x);
    sinh(x: T) => x.sinh();
    cosh(x: T) => x.cosh();
    asinh(x: T) => x.asinh();
    acosh(x: T) => x.acosh();
    atanh(x: T) => x.atanh();
    to_degrees(x: T) => x.to_degrees();
    to_radians(x: T) => x.to_radians();
} }

#[test]
fn sines_and_cosines_are_two_arrays() {
    let angles: Vec<f32> = f32::samples(1).into_iter().filter(|angle| angle.is_finite()).collect();
    let device = Device::cpu();
    let lazy = functions::sin_cos::map(&angles).on(&device);
    let (sines, cosines) = lazy.to_host().unwrap();
    assert_eq!(sines, angles.iter().map(|x| x.sin()).collect::<Vec<_>>());
    assert_eq!(cosines, angles.iter().map(|x| x.cos()).collect::<Vec<_>>());
    compile("sines_and_cosines_are_two_arrays", &[lazy.cuda_source().unwrap()]);
}

macro_rules! casts {
    ($sources:ident $From:ident [$($To:ident)*]) => {$({
        let samples = <$From>::samples(1);
        let device = Device::cpu();
        let lazy = functions::cast::map::<_, $To, _>(&samples).on(&device);
        let expected: Vec<$To> = samples.iter().map(|x| *x as $To).collect();
        assert!(lazy.to_host().unwrap().into_iter().zip(expected).all(|(found, expected)| found.same(expected)));
        $sources.push(lazy.cuda_source().unwrap());
    })*};
}

#[test]
#[allow(trivial_numeric_casts, clippy::cast_lossless, clippy::unnecessary_cast)]
fn casts_are_those_of_as() {
    let mut sources = Vec::new();
    casts! { sources f32 [f32 f64 i32 u8] }
    casts! { sources f64 [f32 f64 i32 u8] }
    casts! { sources i32 [f32 f64 i32 u8] }
    casts! { sources u8 [f32 f64 i32 u8] }
    compile("casts_are_those_of_as", &sources);
}

#[test]
fn a_function_still_is_one_of_numbers() {
    assert_eq!((functions::hypot(3.0, 4.0), functions::add(255u8, 1), functions::select(true, 1, 2)), (5.0, 0, 1));
}
