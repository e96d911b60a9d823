//! Second derivatives of functions of numbers: dual numbers of dual numbers against differences of first derivatives, and functions with
//! derivatives in the functions that have them.

use gpu_runtime::gradient::{Dual32, Dual64, SecondDual32, SecondDual64, stop_gradient};
use gpu_runtime::prelude::*;

use crate::nvrtc::has_nvrtc;
use crate::{assert_near, difference, points};

/// Moves along both directions, with speed 1.
fn moving(x: f64) -> SecondDual64 {
    SecondDual64::variable(Dual64::variable(x, 1.0), Dual64::constant(1.0))
}

/// Moves along the direction of its value alone, and along the other one alone.
fn along_first(x: f64) -> SecondDual64 {
    SecondDual64::still(Dual64::variable(x, 1.0))
}

fn along_second(x: f64) -> SecondDual64 {
    SecondDual64::variable(Dual64::constant(x), Dual64::constant(1.0))
}

macro_rules! unary {
    ($($name:ident $low:literal, $high:literal;)*) => {
        $(
            for x in points($low, $high) {
                let slope = |x: f64| Dual64::variable(x, 1.0).$name().tangent;
                let found = moving(x).$name();
                assert_eq!(found.value.value.to_bits(), x.$name().to_bits(), "{} at {x}", stringify!($name));
                assert_near(stringify!($name), x, found.value.tangent, slope(x), 1e-14);
                assert_near(stringify!($name), x, found.tangent.value, slope(x), 1e-14);
                assert_near(stringify!($name), x, found.tangent.tangent, difference(slope, x), 1e-7);
                let single = SecondDual32::variable(Dual32::variable(x as f32, 1.0), Dual32::constant(1.0)).$name();
                assert_near(stringify!($name), x, single.tangent.tangent.into(), moving((x as f32).into()).$name().tangent.tangent, 1e-3);
            }
        )*
    };
}

#[test]
fn methods_of_one_number_have_the_second_derivatives_of_differences() {
    unary! {
        sqrt 0.05, 50.0;
        cbrt 0.05, 50.0;
        recip 0.1, 9.0;
        recip -9.0, -0.1;
        exp -6.0, 6.0;
        exp2 -6.0, 6.0;
        exp_m1 -6.0, 6.0;
        ln 0.05, 50.0;
        ln_1p -0.9, 50.0;
        log2 0.05, 50.0;
        log10 0.05, 50.0;
        sin -7.0, 7.0;
        cos -7.0, 7.0;
        tan -1.4, 1.4;
        asin -0.9, 0.9;
        acos -0.9, 0.9;
        atan -9.0, 9.0;
        sinh -5.0, 5.0;
        cosh -5.0, 5.0;
        tanh -5.0, 5.0;
        asinh -9.0, 9.0;
        acosh 1.2, 20.0;
        atanh -0.9, 0.9;
        abs 0.1, 9.0;
        abs -9.0, -0.1;
        fract 0.1, 0.9;
        to_degrees -9.0, 9.0;
        to_radians -9.0, 9.0;
    }
}

macro_rules! binary {
    ($($name:ident $first:expr, $second:expr;)*) => {
        $(
            for (x, y) in points($first.0, $first.1).zip(points($second.0, $second.1).skip(137).chain(points($second.0, $second.1))) {
                let c = SecondDual64::constant;
                let by_x = |x: f64, y: f64| Dual64::variable(x, 1.0).$name(Dual64::constant(y)).tangent;
                let by_y = |x: f64, y: f64| Dual64::constant(x).$name(Dual64::variable(y, 1.0)).tangent;
                assert_eq!(moving(x).$name(moving(y)).value.value.to_bits(), x.$name(y).to_bits(), "{} of {x} and {y}", stringify!($name));
                assert_near(stringify!($name), x, moving(x).$name(c(y)).tangent.tangent, difference(|x| by_x(x, y), x), 1e-6);
                assert_near(stringify!($name), y, c(x).$name(moving(y)).tangent.tangent, difference(|y| by_y(x, y), y), 1e-6);
                let mixed = difference(|y| by_x(x, y), y);
                assert_near(stringify!($name), x, along_first(x).$name(along_second(y)).tangent.tangent, mixed, 1e-6);
                assert_near(stringify!($name), x, along_second(x).$name(along_first(y)).tangent.tangent, mixed, 1e-6);
            }
        )*
    };
}

#[test]
fn methods_of_two_numbers_have_the_second_derivatives_of_differences() {
    use std::ops::{Add, Div, Mul, Rem, Sub};
    binary! {
        add (-5.0, 5.0), (-3.0, 4.0);
        sub (-5.0, 5.0), (-3.0, 4.0);
        mul (-5.0, 5.0), (-3.0, 4.0);
        div (-5.0, 5.0), (0.5, 4.0);
        powf (0.2, 5.0), (-3.0, 4.0);
        log (0.2, 5.0), (1.5, 9.0);
        hypot (-5.0, 5.0), (0.3, 4.0);
        atan2 (-5.0, 5.0), (0.3, 4.0);
        min (-5.0, 5.0), (5.1, 7.0);
        max (-5.0, 5.0), (5.1, 7.0);
        rem (7.1, 7.4), (2.0, 2.3);
    }
    for x in points(-3.0, 3.0) {
        for n in [-3i32, -1, 0, 1, 2, 5] {
            let expected = if n == 0 || n == 1 { 0.0 } else { f64::from(n * (n - 1)) * x.powi(n - 2) };
            assert_near("powi", x, moving(x).powi(n).tangent.tangent, expected, 1e-12);
        }
        let inside = if x.abs() < 1.0 { 2.0 } else { 0.0 };
        let c = SecondDual64::constant;
        assert_near("clamp", x, (moving(x) * moving(x)).clamp_of_float(c(-1.0), c(1.0)).tangent.tangent, inside, 0.0);
        assert_near("mul_add", x, moving(x).mul_add(moving(x), c(1.0)).tangent.tangent, 2.0, 0.0);
        assert_eq!((moving(x).copysign(c(-1.0)).tangent.value, moving(x) < 0.5, moving(x) == x), (-x.signum(), x < 0.5, true));
    }
}

/// A Gaussian, also of arrays.
#[vectorize(grad = 2)]
fn bump(x: f64, width: f64) -> f64 {
    (-((x / width).powi(2))).exp()
}

#[rustfmt::skip]
#[vectorize(grad=2)]
fn cube(x: f32) -> f32 {
    let mut product = 1.0;
    for _ in 0..3 {
        product *= x;
    }
    product
}

/// An array, a constant, and numbers in between that do not vary.
#[gpu_device(grad = 2)]
fn form(x: [f64; 2], y: f64, n: u32) -> f64 {
    let scale = stop_gradient(x[0]) as i32 as f64 + stop_gradient(x[1].floor());
    let mut sum = 0.0;
    for k in 0..n {
        sum += (x[0] * x[1]).powi(k as i32) * y * y;
    }
    scale * sum
}

/// One step of Newton's method, from `x` to the minimum of a parabola, whose place and depth its derivatives show.
#[gpu_device(grad)]
fn newton(x: f64, place: f64) -> f64 {
    let (slope, _): (f64, f64) = parabola::grad(x, place);
    let (_, along): (f64, f64) = parabola::jvp(x, place, 1.0, 0.0);
    let (value, again, _): (f64, f64, f64) = parabola::value_and_grad(x, place);
    x - slope / (2.0 * place) + (along - again) * value
}

#[gpu_device(grad = 2)]
fn parabola(x: f64, place: f64) -> f64 {
    place * (x - place) * (x - place)
}

#[gpu_kernel]
fn all_of_them(x: &[f64], out: &mut [[f64; 6]]) {
    let i = grid_1d();
    if i < x.len() && i < out.len() {
        let second: [[f64; 2]; 2] = bump::hessian(x[i], 0.75);
        let of_form: [[f64; 3]; 3] = form::hessian([x[i], 1.5], 2.0, 3);
        let (by_x, by_place): (f64, f64) = newton::grad(x[i], 1.5);
        out[i] = [second[0][0], second[0][1], of_form[0][1], of_form[2][2], by_x, by_place];
    }
}

#[test]
fn functions_have_second_derivatives_of_numbers_and_of_arrays() -> gpu_runtime::Result<()> {
    assert_eq!((cube(2.0), cube::grad(2.0), cube::hessian(2.0)), (8.0, 12.0, 12.0));
    let device = Device::best()?;
    let x: Vec<f64> = points(-2.0, 2.0).collect();
    let mut out = device.to_device(&vec![[0.0; 6]; x.len()])?;
    all_of_them(&device.to_device(&x)?, &mut out).forall(x.len())?;
    for (&x, [by_xx, by_xw, of_form, by_yy, by_x, by_place]) in x.iter().zip(out.to_host()?) {
        assert_near("bump", x, by_xx, difference(|x| bump::grad(x, 0.75).0, x), 1e-7);
        assert_near("bump", x, by_xw, difference(|width| bump::grad(x, width).0, 0.75), 1e-7);
        let (scale, product) = (x.trunc() + 1.0, x * 1.5);
        // 4 (1 + p + p²), where p is the product.
        assert_near("form", x, of_form, scale * 4.0 * (1.0 + 4.0 * product), 1e-12);
        assert_near("form", x, by_yy, scale * 2.0 * (1.0 + product + product * product), 1e-12);
        // It arrives at the place from anywhere.
        assert_near("newton", x, by_x, 0.0, 1e-12);
        assert_near("newton", x, by_place, 1.0, 1e-12);
    }
    assert_eq!(bump::hessian(0.5, 1.5)[1][0], bump::hessian(0.5, 1.5)[0][1]);
    let singles = Device::cpu().to_device(&[1.0f32, -2.0])?;
    assert_eq!(cube::hessian::map(&singles).to_host()?, [6.0, -12.0]);
    Ok(())
}

#[gpu_device(grad = 2)]
fn power(x: f64, p: f64) -> f64 {
    x.powf(p)
}

#[gpu_device(grad = 2)]
fn bent(x: f32) -> f32 {
    x.tanh()
}

/// Where one of the factors of a second derivative is zero or infinite.
#[test]
fn second_derivatives_at_edges_are_numbers() -> gpu_runtime::Result<()> {
    assert_eq!(power::hessian(2.0, 0.0), [[0.0, 0.5], [0.5, 2f64.ln().powi(2)]]);
    assert_eq!([-100.0, 0.0, 100.0].map(bent::hessian), [0.0; 3]);
    let device = Device::cpu();
    let (x, along) = (device.to_device(&[0.0, 1.0])?, device.to_device(&[1.0, 1.0])?);
    for (n, expected) in [(0, [0.0, 0.0]), (1, [0.0, 0.0]), (2, [2.0, 2.0]), (3, [0.0, 6.0])] {
        let (_, change) = gpu_runtime::gradient::hvp(&x, &along, |x| x.powi(n).sum())?;
        assert_eq!(change.to_host()?, expected, "x.powi({n})");
    }
    Ok(())
}

#[test]
fn second_derivatives_are_compiled_for_a_gpu() {
    if has_nvrtc("second_derivatives_are_compiled_for_a_gpu") {
        all_of_them::handle().ptx("sm_80").unwrap();
    }
}
