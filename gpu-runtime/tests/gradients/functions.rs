//! Small functions in which other systems lose a derivative: against differences, and at kinks by the convention of the book.

use gpu_runtime::gradient::stop_gradient;
use gpu_runtime::prelude::*;
use std::f64::consts::PI;

use super::{assert_near, difference};

const SCALE: f64 = 2.5;
const TABLE: [f64; 4] = [1.0, 4.0, 9.0, 16.0];

#[gpu_device(grad)]
fn used_twice(x: f64) -> f64 {
    let y = x * x;
    y * y + y / x - x
}

#[gpu_device(grad)]
fn shadowed(x: f64) -> f64 {
    let x = x * x;
    let x = {
        let x = x + 1.0;
        x.ln()
    };
    x * 3.0
}

#[gpu_device(grad)]
fn updated_in_place(mut x: f64) -> f64 {
    let mut s = x;
    s *= s;
    x += s;
    s -= 1.0;
    s /= x;
    s %= 7.0;
    s
}

#[gpu_device(grad)]
fn updated_by_reference(x: f64) -> f64 {
    let mut a = x;
    let r = &mut a;
    *r *= 2.0;
    *r += x;
    a * a
}

#[gpu_device(grad)]
fn swapped(x: f64) -> f64 {
    let (mut a, mut b) = (x, 1.0);
    for _ in 0..5 {
        (a, b) = (b, a + b * x);
    }
    b - a
}

#[gpu_device(grad)]
fn elements_of_arrays(x: f64) -> f64 {
    let mut t = [0.0; 4];
    for i in 0..4 {
        t[i] = x * (i + 1) as f64;
    }
    t[0] = t[3];
    t[1] *= t[0];
    let mut s = 0.0;
    for v in t {
        s += v * v;
    }
    s
}

#[gpu_device(grad)]
fn moved_along(x: f64) -> f64 {
    let mut t = [x, 1.0, 2.0];
    for i in 0..2 {
        t[i + 1] = t[i] * t[i + 1] + x;
    }
    t[2]
}

#[gpu_device(grad)]
fn returned_early(x: f64) -> f64 {
    let mut s = x;
    for k in 0..10 {
        if s > 20.0 {
            return s * k as f64;
        }
        s = s * x + 1.0;
    }
    s
}

#[gpu_device(grad)]
fn broken_with_a_value(x: f64) -> f64 {
    let mut n = 0;
    let mut p = x;
    let found = loop {
        n += 1;
        p *= x;
        if n == 3 {
            continue;
        }
        if n > 4 {
            break p + x;
        }
    };
    found * 2.0
}

#[gpu_device(grad)]
fn nested_loops(x: f64) -> f64 {
    let mut s = 0.0;
    'rows: for i in 0..5 {
        for j in 0..5 {
            if j > i {
                continue 'rows;
            }
            if i + j > 6 {
                break 'rows;
            }
            s += x.powi(i) / (j + 1) as f64;
        }
    }
    s
}

#[gpu_device(grad)]
fn newton(x: f64) -> f64 {
    let mut root = 1.0;
    while (root * root - x).abs() > 1e-13 * x {
        root = 0.5 * (root + x / root);
    }
    // The last step makes the derivative as exact as the value.
    0.5 * (root + x / root)
}

#[gpu_device(grad)]
fn matched(x: f64, n: i32) -> f64 {
    match n {
        0 => x,
        1 | 2 => x * x,
        3..=5 if x > 0.0 => {
            let x = x + 1.0;
            x * x * x
        }
        _ => 1.0 / x,
    }
}

#[gpu_device(grad)]
fn guarded_arms(x: f64) -> f64 {
    match x {
        v if v < 0.0 => v * v,
        v if v < 2.0 => v.sin(),
        v => v.sqrt(),
    }
}

#[gpu_device(grad)]
fn compared(x: f64, y: f64) -> f64 {
    if x < y && y < 2.0 && x != 0.0 {
        x * y
    } else if x >= y || x == 1.0 {
        x / y
    } else {
        y
    }
}

#[gpu_device(grad)]
fn selected(x: f64, b: bool) -> f64 {
    let positive = x > 0.0;
    let y = if positive == b { x * x } else { -x };
    y + if b { x } else { 0.0 }
}

#[gpu_device(grad)]
fn optional(x: f64) -> f64 {
    let root: Option<f64> = if x > 0.0 { Some(x.sqrt()) } else { None };
    let other = match root {
        Some(v) => v * x,
        None => -x,
    };
    if let Some(v) = root { other + v } else { other }
}

#[gpu_device(grad)]
fn by_closure(x: f64) -> f64 {
    let shift = 3.0 * x;
    let square = |v: f64| (v + shift) * v;
    square(x) + square(2.0 * x)
}

#[gpu_device(grad)]
fn constants(x: f64) -> f64 {
    let scale: f64 = SCALE;
    let half = std::f64::consts::FRAC_PI_2;
    let above = if x > PI { 1.0 } else { 2.0 };
    (x * PI).sin() * above + SCALE * x.max(scale) + half * x.powf(scale) + x * f64::EPSILON
}

#[gpu_device(grad)]
fn constant_elements(x: f64, n: u32) -> f64 {
    let mut s = 0.0;
    for i in 0..n {
        s = s * x + TABLE[i as usize & 3];
    }
    s
}

#[gpu_device(grad)]
fn counts(x: f64, n: u32, m: i64) -> f64 {
    let a = f64::from(n);
    let b = m as f64;
    let c = (n as i32 - 3).clamp(0, 2) as f64;
    let d = n as u8 as f32 as f64;
    (a * x + b) * x.powi(n as i32) + c * x + d / x
}

#[gpu_device(grad)]
fn types_are_inferred(x: f64, y: f64) -> f64 {
    let d = x - y;
    let e = 2.0 * d;
    let f = -e;
    let s = d * d + e.abs() * f.abs();
    s.sqrt()
}

#[gpu_device(grad)]
fn functions_by_path(x: f64) -> f64 {
    f64::max(f64::sin(x), f64::powi(x, 2)) + f64::exp(0.5)
}

#[gpu_device(grad)]
fn signs(x: f64) -> f64 {
    x.copysign(-3.0) + x.abs().copysign(x) * x + 2.0f64.copysign(x)
}

#[gpu_device(grad)]
fn periodic(x: f64) -> f64 {
    x.rem_euclid(0.75) * x + (x % 0.6) + x.fract() * x
}

#[gpu_device(grad)]
fn limited(x: f64) -> f64 {
    x.clamp(-1.0, 1.0) * x + x.min(0.5 * x + 1.0).max(-x)
}

#[gpu_device(grad)]
fn fused(x: f64) -> f64 {
    x.mul_add(x, x.sin()).mul_add(0.5, x)
}

#[gpu_device(grad)]
fn powers(x: f64) -> f64 {
    x.powf(x) + x.powi(0) + x.powi(-2) + 2.0f64.powf(x) + x.powf(0.0)
}

#[gpu_device(grad)]
fn rotated(x: f64) -> f64 {
    let angle = x.atan2(1.0 - x);
    x.hypot(2.0 * x + 1.0) * angle.cos() + angle
}

#[gpu_device(grad)]
fn stopped(x: f64) -> f64 {
    let cell = stop_gradient(x.floor());
    let along = x - cell;
    let index = stop_gradient(x) as usize & 3;
    TABLE[index] * (1.0 - along) + TABLE[(index + 1) & 3] * along
}

/// What the fixed factor of `x` is, in a function that `stop_gradient` makes linear.
#[gpu_device(grad)]
fn weighted(x: f64, fixed: f64) -> f64 {
    let weight = stop_gradient(fixed * fixed);
    weight * x
}

#[gpu_device(grad)]
fn called(x: f64) -> f64 {
    inner::quadratic(x, 2) + self::inner::quadratic(x.sin(), 1) * used_twice(x)
}

mod inner {
    use super::*;

    #[gpu_device(grad)]
    pub(super) fn quadratic(x: f64, n: u32) -> f64 {
        used_twice(x) * n as f64 + x
    }
}

#[gpu_device(grad)]
fn untaken(x: f64) -> f64 {
    let root = if x > 0.0 { x.sqrt() } else { 0.0 };
    let inverse = if x == 0.0 { 1.0 } else { x.sin() / x };
    root * inverse + if x.is_nan() || !x.is_finite() { x.ln() } else { x }
}

/// A quadratic form, of an array and a number.
#[gpu_device(grad)]
fn of_array(x: [f64; 3], scale: f64, n: u32) -> f64 {
    let mut s = 0.0;
    for i in 0..3 {
        s += x[i] * x[(i + 1) % 3] * scale.powi(i as i32);
    }
    s * n as f64
}

#[gpu_device(grad)]
fn of_array_alone(x: [f32; 2]) -> f32 {
    x[0] * x[0] * x[1]
}

/// A step of a table, in single precision.
#[gpu_device(grad)]
fn single(x: f32) -> f32 {
    let table = [1.0, 4.0];
    let low = stop_gradient(x.floor());
    x * table[stop_gradient(x) as usize & 1] + low * x
}

#[gpu_kernel]
fn of_arrays(points: &[[f64; 3]], out: &mut [[f64; 5]]) {
    let i = grid_1d();
    if i < points.len() && i < out.len() {
        let (value, by_x, by_scale): (f64, [f64; 3], f64) = of_array::value_and_grad(points[i], 2.0, 2);
        out[i] = [value, by_x[0], by_x[1], by_x[2], by_scale];
    }
}

#[test]
fn elements_of_arrays_have_derivatives() -> gpu_runtime::Result<()> {
    assert_eq!(of_array::grad([1.0, 2.0, 3.0], 2.0, 1), ([14.0, 7.0, 8.0], 18.0));
    assert_eq!(of_array::jvp([1.0, 2.0, 3.0], 2.0, 1, [1.0, 0.0, -1.0], 0.5), (26.0, 15.0));
    assert_eq!(of_array_alone::value_and_grad([3.0, 2.0]), (18.0, [12.0, 9.0]));
    assert_eq!(single::value_and_grad(1.5), (7.5, 5.0));
    let device = Device::best()?;
    let mut out = device.to_device(&[[0.0; 5]])?;
    of_arrays(&device.to_device(&[[1.0, 2.0, 3.0]])?, &mut out).forall(1)?;
    assert_eq!(out.to_host()?, [[52.0, 28.0, 14.0, 16.0, 36.0]]);
    if super::has_nvrtc("elements_of_arrays_have_derivatives") {
        of_arrays::handle().ptx("sm_80").unwrap();
    }
    Ok(())
}

type Function = fn(f64) -> f64;

#[test]
fn functions_have_the_derivatives_of_differences() {
    const BOTH: &[f64] = &[-2.3, -0.7, 0.3, 0.8, 1.9, 3.3];
    const POSITIVE: &[f64] = &[0.3, 0.8, 1.9, 2.7, 3.4];
    let table: &[(&str, Function, Function, &[f64])] = &[
        ("used_twice", used_twice, used_twice::grad, BOTH),
        ("shadowed", shadowed, shadowed::grad, BOTH),
        ("updated_in_place", updated_in_place, updated_in_place::grad, BOTH),
        ("updated_by_reference", updated_by_reference, updated_by_reference::grad, BOTH),
        ("swapped", swapped, swapped::grad, BOTH),
        ("elements_of_arrays", elements_of_arrays, elements_of_arrays::grad, BOTH),
        ("moved_along", moved_along, moved_along::grad, BOTH),
        ("returned_early", returned_early, returned_early::grad, BOTH),
        ("broken_with_a_value", broken_with_a_value, broken_with_a_value::grad, BOTH),
        ("nested_loops", nested_loops, nested_loops::grad, BOTH),
        ("newton", newton, newton::grad, POSITIVE),
        ("matched, 0", |x| matched(x, 0), |x| matched::grad(x, 0), BOTH),
        ("matched, 2", |x| matched(x, 2), |x| matched::grad(x, 2), BOTH),
        ("matched, 4", |x| matched(x, 4), |x| matched::grad(x, 4), BOTH),
        ("matched, 9", |x| matched(x, 9), |x| matched::grad(x, 9), BOTH),
        ("guarded_arms", guarded_arms, guarded_arms::grad, BOTH),
        ("compared, by the first", |x| compared(x, 1.5), |x| compared::grad(x, 1.5).0, BOTH),
        ("compared, by the second", |y| compared(0.5, y), |y| compared::grad(0.5, y).1, POSITIVE),
        ("selected", |x| selected(x, true), |x| selected::grad(x, true), BOTH),
        ("selected, not", |x| selected(x, false), |x| selected::grad(x, false), BOTH),
        ("optional", optional, optional::grad, BOTH),
        ("by_closure", by_closure, by_closure::grad, BOTH),
        ("constants", constants, constants::grad, POSITIVE),
        ("constant_elements", |x| constant_elements(x, 4), |x| constant_elements::grad(x, 4), BOTH),
        ("counts", |x| counts(x, 4, -7), |x| counts::grad(x, 4, -7), BOTH),
        ("types_are_inferred", |x| types_are_inferred(x, 0.1), |x| types_are_inferred::grad(x, 0.1).0, BOTH),
        ("functions_by_path", functions_by_path, functions_by_path::grad, BOTH),
        ("signs", signs, signs::grad, BOTH),
        ("periodic", periodic, periodic::grad, BOTH),
        ("limited", limited, limited::grad, BOTH),
        ("fused", fused, fused::grad, BOTH),
        ("powers", powers, powers::grad, POSITIVE),
        ("rotated", rotated, rotated::grad, BOTH),
        ("stopped", stopped, stopped::grad, POSITIVE),
        ("weighted", |x| weighted(x, 3.0), |x| weighted::grad(x, 3.0).0, BOTH),
        ("called", called, called::grad, BOTH),
        ("untaken", untaken, untaken::grad, BOTH),
    ];
    for (name, function, derivative, points) in table {
        for &x in *points {
            assert_near(name, x, derivative(x), difference(function, x), 1e-6);
        }
    }
    assert_eq!(weighted::grad(2.0, 3.0), (9.0, 0.0));
}

macro_rules! of_one {
    ($($name:ident($x:ident) $body:block)*) => {
        $(
            #[gpu_device(grad)]
            fn $name($x: f64) -> f64 $body
        )*
    };
}

of_one! {
    abs(x) { x.abs() }
    relu(x) { x.max(0.0) }
    smaller(x) { x.min(0.0) }
    same(x) { x.max(x) }
    clamped(x) { x.clamp(0.0, 1.0) }
    square_root(x) { x.sqrt() }
    of_square(x) { (x * x).sqrt() }
    to_the_zero(x) { x.powi(0) + x.powf(0.0) }
    to_the_one(x) { x.powi(1) + x.powf(1.0) }
    to_the_half(x) { x.powf(0.5) }
    distance(x) { x.hypot(x) }
    angle(x) { x.atan2(x) }
    sign(x) { x.copysign(1.0) }
    fraction(x) { x.fract() }
    remainder(x) { x.rem_euclid(1.0) }
    branch(x) { if x == 1.0 { 1.0 } else { x } }
    strict(x) { if x > 0.0 { x } else { 0.0 } }
    product_of_zero(x) { x.sqrt() * 0.0 }
    sinc(x) { if x == 0.0 { 1.0 } else { x.sin() / x } }
    logarithm(x) { x.ln() }
}

#[test]
fn kinks_follow_the_convention() {
    let nan = f64::NAN;
    let table: &[(&str, Function, f64, f64)] = &[
        ("abs", abs::grad, 0.0, 0.0),
        ("abs", abs::grad, -0.0, 0.0),
        ("abs", abs::grad, nan, nan),
        ("relu", relu::grad, 0.0, 0.5),
        ("relu", relu::grad, -0.0, 0.5),
        ("smaller", smaller::grad, 0.0, 0.5),
        ("same", same::grad, 3.0, 1.0),
        ("clamped", clamped::grad, 0.0, 0.5),
        ("clamped", clamped::grad, 1.0, 0.5),
        ("clamped", clamped::grad, 1.5, 0.0),
        ("square_root", square_root::grad, 0.0, f64::INFINITY),
        ("square_root", square_root::grad, -1.0, nan),
        ("of_square", of_square::grad, 0.0, nan),
        ("to_the_zero", to_the_zero::grad, 0.0, 0.0),
        ("to_the_one", to_the_one::grad, 0.0, 2.0),
        ("to_the_half", to_the_half::grad, 0.0, f64::INFINITY),
        ("distance", distance::grad, 0.0, nan),
        ("angle", angle::grad, 0.0, nan),
        ("sign", sign::grad, 0.0, 0.0),
        ("sign", sign::grad, -2.0, -1.0),
        ("fraction", fraction::grad, 1.0, 1.0),
        ("remainder", remainder::grad, -1.0, 1.0),
        ("branch", branch::grad, 1.0, 0.0),
        ("strict", strict::grad, 0.0, 0.0),
        ("product_of_zero", product_of_zero::grad, 0.0, nan),
        ("sinc", sinc::grad, 0.0, 0.0),
        ("logarithm", logarithm::grad, 0.0, f64::INFINITY),
        ("logarithm", logarithm::grad, -1.0, nan),
    ];
    for &(name, derivative, x, expected) in table {
        let found = derivative(x);
        assert!(found == expected || found.is_nan() && expected.is_nan(), "{name} at {x}: {found} instead of {expected}");
    }
}
