//! Derivatives of functions of numbers: the table of methods against finite differences, kinks, and arrays.

use gpu_runtime::gradient::{Dual32, Dual64};
use gpu_runtime::prelude::*;

mod arrays;
mod changes;
mod functions;
#[path = "../support/nvrtc.rs"]
mod nvrtc;
mod rules;
mod second;

use nvrtc::has_nvrtc;

/// 1,000 points between two limits, neither of them included.
fn points(low: f64, high: f64) -> impl Iterator<Item = f64> {
    (0..1000).map(move |i| low + (high - low) * (f64::from(i) + 0.5) / 1000.0)
}

/// By central differences of two widths, of which Richardson's extrapolation removes the largest error.
fn difference(f: impl Fn(f64) -> f64, x: f64) -> f64 {
    let h = 1e-4 * x.abs().max(0.01);
    let central = |h: f64| (f(x + h) - f(x - h)) / (2.0 * h);
    (4.0 * central(h / 2.0) - central(h)) / 3.0
}

#[track_caller]
fn assert_near(name: &str, x: f64, found: f64, expected: f64, tolerance: f64) {
    assert!((found - expected).abs() <= tolerance * (1.0 + expected.abs()), "{name} at {x}: {found}, and by differences {expected}");
}

/// A method of one number: in `f64` against differences, and in `f32` against `f64`.
macro_rules! unary {
    ($($name:ident $low:literal, $high:literal;)*) => {
        $(
            for x in points($low, $high) {
                let dual = Dual64::variable(x, 1.0).$name();
                assert_eq!(dual.value.to_bits(), x.$name().to_bits(), "{} at {x}", stringify!($name));
                assert_near(stringify!($name), x, dual.tangent, difference(|x: f64| x.$name(), x), 1e-7);
                let single = Dual32::variable(x as f32, 1.0).$name();
                let double = Dual64::variable((x as f32).into(), 1.0).$name();
                assert_near(stringify!($name), x, single.tangent.into(), double.tangent, 1e-4);
            }
        )*
    };
}

#[test]
fn methods_of_one_number_have_the_derivatives_of_differences() {
    unary! {
        sqrt 0.01, 50.0;
        cbrt 0.01, 50.0;
        recip 0.1, 9.0;
        recip -9.0, -0.1;
        exp -6.0, 6.0;
        exp2 -6.0, 6.0;
        exp_m1 -6.0, 6.0;
        ln 0.01, 50.0;
        ln_1p -0.9, 50.0;
        log2 0.01, 50.0;
        log10 0.01, 50.0;
        sin -7.0, 7.0;
        cos -7.0, 7.0;
        tan -1.4, 1.4;
        asin -0.95, 0.95;
        acos -0.95, 0.95;
        atan -9.0, 9.0;
        sinh -5.0, 5.0;
        cosh -5.0, 5.0;
        tanh -5.0, 5.0;
        asinh -9.0, 9.0;
        acosh 1.1, 20.0;
        atanh -0.95, 0.95;
        abs 0.1, 9.0;
        abs -9.0, -0.1;
        fract 0.1, 0.9;
        to_degrees -9.0, 9.0;
        to_radians -9.0, 9.0;
    }
}

/// A method of two numbers, by each of them.
macro_rules! binary {
    ($($name:ident $first:expr, $second:expr;)*) => {
        $(
            for (x, y) in points($first.0, $first.1).zip(points($second.0, $second.1).skip(137).chain(points($second.0, $second.1))) {
                let (a, b) = (Dual64::variable(x, 1.0), Dual64::variable(y, 1.0));
                let (fixed_a, fixed_b) = (Dual64::constant(x), Dual64::constant(y));
                assert_eq!(a.$name(b).value.to_bits(), x.$name(y).to_bits(), "{} of {x} and {y}", stringify!($name));
                assert_near(stringify!($name), x, a.$name(fixed_b).tangent, difference(|x: f64| x.$name(y), x), 1e-7);
                assert_near(stringify!($name), y, fixed_a.$name(b).tangent, difference(|y: f64| x.$name(y), y), 1e-7);
                let both = a.$name(b).tangent;
                assert_near(stringify!($name), x, both, a.$name(fixed_b).tangent + fixed_a.$name(b).tangent, 1e-9);
            }
        )*
    };
}

#[test]
fn methods_of_two_numbers_have_the_derivatives_of_differences() {
    use std::ops::{Add, Div, Mul, Rem, Sub};
    binary! {
        add (-5.0, 5.0), (-3.0, 4.0);
        sub (-5.0, 5.0), (-3.0, 4.0);
        mul (-5.0, 5.0), (-3.0, 4.0);
        div (-5.0, 5.0), (0.5, 4.0);
        powf (0.1, 5.0), (-3.0, 4.0);
        log (0.1, 5.0), (1.5, 9.0);
        hypot (-5.0, 5.0), (0.3, 4.0);
        atan2 (-5.0, 5.0), (0.3, 4.0);
        min (-5.0, 5.0), (5.1, 7.0);
        min (-5.0, 5.0), (-7.0, -5.1);
        max (-5.0, 5.0), (5.1, 7.0);
        max (-5.0, 5.0), (-7.0, -5.1);
        rem (7.1, 7.4), (2.0, 2.3);
        rem (-7.4, -7.1), (2.0, 2.3);
    }
    for x in points(-3.0, 3.0) {
        for n in [-3, -1, 0, 1, 2, 5] {
            let found = Dual64::variable(x, 1.0).powi(n).tangent;
            let expected = if n == 0 { 0.0 } else { f64::from(n) * x.powf(f64::from(n - 1)) };
            assert_near("powi", x, found, expected, 1e-12);
        }
        let d = |value| Dual64::variable(value, 1.0);
        let c = Dual64::constant;
        assert_near("mul_add", x, d(x).mul_add(c(3.0), c(1.0)).tangent, 3.0, 0.0);
        assert_near("mul_add", x, c(x).mul_add(d(3.0), d(1.0)).tangent, x + 1.0, 0.0);
        let (whole, wide) = (d(x + 7.0).rem_euclid_of_float(c(20.0)), c(x - 7.0).rem_euclid_of_float(d(20.0)));
        assert_eq!((whole.value, whole.tangent, wide.value, wide.tangent), (x + 7.0, 1.0, (x - 7.0).rem_euclid(20.0), 1.0));
        let inside = if x.abs() < 1.0 { 1.0 } else { 0.0 };
        assert_near("clamp", x, d(x).clamp_of_float(c(-1.0), c(1.0)).tangent, inside, 0.0);
    }
}

#[test]
fn kinks_and_edges_follow_the_convention() {
    let d = |value: f64| Dual64::variable(value, 1.0);
    let c = Dual64::constant;
    assert_eq!(d(0.0).abs().tangent, 0.0);
    assert_eq!((d(0.0).max(c(0.0)).tangent, d(0.0).min(c(0.0)).tangent), (0.5, 0.5));
    assert_eq!((d(1.0).clamp_of_float(c(0.0), c(1.0)).tangent, d(2.0).clamp_of_float(c(0.0), c(1.0)).tangent), (0.5, 0.0));
    assert_eq!((d(f64::NAN).max(c(1.0)).tangent, d(1.0).max(c(f64::NAN)).tangent), (0.0, 1.0));
    assert_eq!((d(0.0).sqrt().tangent, c(0.0).sqrt().tangent), (f64::INFINITY, 0.0));
    assert!(d(0.0).powi(3).cbrt().tangent.is_nan(), "the true derivative is 1: zero would be wrong");
    assert!(d(0.0).hypot(d(0.0)).tangent.is_nan());
    assert_eq!((d(0.0).powf(c(2.0)).tangent, d(0.0).powf(c(1.0)).tangent, d(0.0).powf(c(0.0)).tangent), (0.0, 1.0, 0.0));
    assert_eq!(c(0.0).powf(d(2.0)).tangent, 0.0);
    assert_eq!((d(0.0).powi(0).tangent, d(0.0).powi(1).tangent), (0.0, 1.0));
    for outside in [d(-1.0).ln(), d(-1.0).sqrt(), d(2.0).asin(), d(-3.0).acosh(), d(2.0).atanh(), d(-2.0).ln_1p(), d(-1.0).powf(c(0.5))] {
        assert!(outside.value.is_nan() && outside.tangent.is_nan(), "{outside:?}");
    }
}

/// A Gaussian, also of arrays.
#[vectorize(grad = 2)]
fn bump(x: f64, width: f64) -> f64 {
    (-((x / width).powi(2))).exp()
}

#[vectorize(grad)]
fn cube(x: f64) -> f64 {
    let mut product = 1.0;
    for _ in 0..3 {
        product *= x;
    }
    product
}

/// A conversion of what does not vary, in every place of an expression.
#[gpu_device(grad)]
fn series(x: f64, terms: u32) -> f64 {
    let mut sum = 0.0;
    let mut power = 1.0;
    for k in 0..terms {
        sum += power / (k + 1) as f64 - 1.0 * k as u8 as f64;
        power *= x;
    }
    sum
}

#[test]
fn functions_have_derivatives_of_numbers_and_of_arrays() -> gpu_runtime::Result<()> {
    assert_eq!((cube(2.0), cube::grad(2.0), cube::value_and_grad(3.0), cube::jvp(2.0, 0.5)), (8.0, 12.0, (27.0, 27.0), (8.0, 6.0)));
    assert_eq!(series::grad(2.0, 3), 0.5 + 4.0 / 3.0);
    for x in points(-2.0, 2.0) {
        let (by_x, by_width) = bump::grad(x, 0.75);
        assert_near("bump", x, by_x, difference(|x| bump(x, 0.75), x), 1e-8);
        assert_near("bump", x, by_width, difference(|width| bump(x, width), 0.75), 1e-8);
    }
    let device = Device::cpu();
    let x = device.to_device(&[1.0, 2.0, -3.0])?;
    assert_eq!(cube::grad::map(&x).to_host()?, [3.0, 12.0, 27.0]);
    assert_eq!((cube::grad::map(&x) * &x).sum()?, 3.0 + 24.0 - 81.0);
    let (by_x, by_width) = bump::grad::map(&x, 2.0).to_host()?;
    assert_eq!((by_x[1], by_width[1]), bump::grad(2.0, 2.0));
    Ok(())
}

/// A sum whose terms depend on each other and on where `x` is.
#[gpu_device(grad)]
fn horner(x: f64, scale: f64, n: u32) -> f64 {
    let mut sum = 0.0;
    for k in 0..n {
        if k == 2 {
            continue;
        }
        sum = sum * x + scale * k as f64;
        if sum > 1000.0 {
            break;
        }
    }
    sum
}

/// `x⁴`, in variables and elements that are overwritten, with a result in the middle.
#[gpu_device(grad)]
fn overwritten(mut x: f64) -> f64 {
    let mut kept: [f64; 2] = [x, 1.0];
    x *= x;
    kept[0] = x;
    kept[1] = kept[1] * kept[0];
    if kept[1] < 1.0 {
        return kept[1] * x;
    }
    x = 3.0;
    kept[1] * kept[0] + (x - 3.0)
}

/// A branch that would be NaN where it is not taken, and a root that does not vary.
#[gpu_device(grad)]
fn guarded(x: f64, y: f64) -> f64 {
    let root = if x > 0.0 { x.sqrt() } else { 0.0 };
    let zero: f64 = 0.0;
    root + y * y + zero.sqrt() * y
}

#[gpu_device(grad)]
fn calls(x: f64, width: f64) -> f64 {
    let shifted = bump(x - 1.0, width);
    bump(x, width.max(0.5)) + 2.0 * shifted.clamp(0.0, 10.0)
}

#[gpu_kernel]
fn all_of_them(x: &[f64], out: &mut [[f64; 5]]) {
    let i = grid_1d();
    if i < x.len() && i < out.len() {
        let (a, b): (f64, f64) = horner::grad(x[i], 1.5, 7);
        let (c, d): (f64, f64) = calls::grad(x[i], 0.75);
        let e: f64 = overwritten::grad(x[i]);
        out[i] = [a, b, c, d, e];
    }
}

#[test]
fn loops_branches_and_calls_are_differentiated() -> gpu_runtime::Result<()> {
    let x: Vec<f64> = points(-3.0, 3.0).collect();
    let device = Device::best()?;
    let mut out = device.to_device(&vec![[0.0; 5]; x.len()])?;
    all_of_them(&device.to_device(&x)?, &mut out).forall(x.len())?;
    for (&x, [a, b, c, d, e]) in x.iter().zip(out.to_host()?) {
        assert_near("horner", x, a, difference(|x| horner(x, 1.5, 7), x), 1e-5);
        assert_near("horner", x, b, difference(|scale| horner(x, scale, 7), 1.5), 1e-5);
        assert_near("calls", x, c, difference(|x| calls(x, 0.75), x), 1e-6);
        assert_near("calls", x, d, difference(|width| calls(x, width), 0.75), 1e-6);
        assert_near("overwritten", x, e, 4.0 * x.powi(3), 1e-12);
        assert_near("jvp", x, horner::jvp(x, 1.5, 7, 2.0, -1.0).1, 2.0 * a - b, 1e-9);
    }
    assert_eq!([0.0, -1.0, 4.0].map(|x| guarded::grad(x, 3.0)), [(0.0, 6.0), (0.0, 6.0), (0.25, 6.0)]);
    Ok(())
}

#[test]
fn derivatives_are_compiled_for_a_gpu() {
    if !has_nvrtc("derivatives_are_compiled_for_a_gpu") {
        return;
    }
    all_of_them::handle().ptx("sm_80").unwrap();
}

/// Three times the slope of the closure of the same name below.
#[gpu_device(grad)]
fn square(x: f64) -> f64 {
    x * x * x
}

mod inner {
    use gpu_runtime::prelude::*;

    #[gpu_device(grad)]
    pub(super) fn shadowed(x: f64, is_doubled: bool) -> f64 {
        let square = |v: f64| v * v;
        square(x) * f64::from(1 + u8::from(is_doubled))
    }

    #[gpu_device(grad)]
    pub(super) fn outer(x: f64) -> f64 {
        super::square(x) * self::shadowed(x, false)
    }
}

#[test]
fn names_mean_in_the_derivative_what_they_mean_in_the_function() {
    assert_eq!((inner::shadowed(2.0, true), inner::shadowed::value_and_grad(2.0, true)), (8.0, (8.0, 8.0)));
    assert_eq!(inner::outer::value_and_grad(2.0), (32.0, 80.0));
}
