//! Gradients of array expressions: each operation against differences in `f64`, and what the gradient is by hand.

use gpu_runtime::gradient::{
    Dual32, Dual64, Stored, Variables, concatenate, constant, grad, hessian, hvp, jacobian, jvp, select, stack, value_and_grad, variable,
};
use gpu_runtime::prelude::*;
use gpu_runtime::{Result, Shape, UsedKernel, kernels_of};

use super::changes::check_changes;
use super::{bump, has_nvrtc};

/// `n` numbers from 0.2 to 1.7 that repeat in no pattern of the tests.
fn numbers(n: usize, seed: usize) -> Vec<f64> {
    (0..n).map(|i| 0.2 + ((i * 37 + seed * 101 + 11) % 150) as f64 / 100.0).collect()
}

pub(super) fn array_on(device: &Device, shape: impl Into<Shape>, seed: usize) -> Result<DeviceArray<f64>> {
    let shape = shape.into();
    device.to_device(&numbers(shape.checked_len().unwrap(), seed))?.reshape(shape)
}

fn array(shape: impl Into<Shape>, seed: usize) -> Result<DeviceArray<f64>> {
    array_on(&Device::cpu(), shape, seed)
}

/// The gradients, the value and the derivative along directions of what a test computes from arrays.
type Run<'r> = dyn Fn(&[DeviceArray<f64>], &[DeviceArray<f64>]) -> Result<(Vec<DeviceArray<f64>>, DeviceArray<f64>, DeviceArray<f64>)> + 'r;

/// The gradients of the sum of the products of what `run` computes from arrays of these shapes and of [`weights`], against central differences.
fn check(device: &Device, name: &str, shapes: &[Shape], run: &Run<'_>) -> Result<()> {
    let arrays = shapes.iter().enumerate().map(|(seed, &shape)| array_on(device, shape, seed)).collect::<Result<Vec<_>>>()?;
    let directions = shapes.iter().enumerate().map(|(seed, &shape)| array_on(device, shape, seed + 20)).collect::<Result<Vec<_>>>()?;
    let weighted = |results: &DeviceArray<f64>| -> Result<f64> { (results * &weights(device, results.shape())?).sum() };
    let (gradients, value, tangent) = run(&arrays, &directions)?;
    assert_eq!(tangent.shape(), value.shape(), "{name}");
    for (number, gradient) in gradients.iter().enumerate() {
        assert_eq!(gradient.shape(), shapes[number], "{name}");
        let (found, host) = (gradient.to_host()?, arrays[number].to_host()?);
        for (i, found) in found.into_iter().enumerate() {
            let value = |x: f64| -> Result<f64> {
                let mut moved = host.clone();
                moved[i] = x;
                let mut arrays = arrays.iter().map(|array| lazy(array).collect()).collect::<Result<Vec<_>>>()?;
                arrays[number] = device.to_device(&moved)?.reshape(shapes[number])?;
                weighted(&run(&arrays, &directions)?.1)
            };
            let expected = (value(host[i] + 1e-5)? - value(host[i] - 1e-5)?) / 2e-5;
            let is_near = (found - expected).abs() <= 1e-7 * (1.0 + expected.abs());
            assert!(is_near, "{name}, argument {number}, element {i}: {found}, and by differences {expected}");
        }
    }
    // The derivative along directions is the sum of the gradients along them.
    let along = weighted(&tangent)?;
    let mut expected = 0.0;
    for (gradient, direction) in gradients.iter().zip(&directions) {
        expected += (gradient * direction).sum()?;
    }
    assert!((along - expected).abs() <= 1e-11 * (1.0 + expected.abs()), "{name}: {along} along directions, and not {expected}");
    Ok(())
}

/// Numbers that all differ.
fn weights(device: &Device, shape: Shape) -> Result<DeviceArray<f64>> {
    array_on(device, shape, 9)
}

/// [`check`]s what `$f` computes, from arrays of each list of shapes.
macro_rules! check {
    (on $device:expr, $name:expr, $([$($shape:expr),*])|+, |$($x:ident),*| $f:expr) => {
        for shapes in [$(&[$(Shape::from($shape)),*]),+] {
            check(&$device, $name, shapes, &|arrays, directions| {
                let (value, tangent) = jvp(arrays, directions, |variables| {
                    let [$($x),*] = &variables[..] else { unreachable!() };
                    Ok($f)
                })?;
                let variables = variable(arrays);
                let [$($x),*] = &variables[..] else { unreachable!() };
                let result = $f;
                Ok((result.vjp(&weights(&$device, result.shape()?)?, &variables[..])?, value, tangent))
            })?;
            check_changes(&$device, $name, shapes, &|arrays, directions| {
                let result = hvp(arrays, directions, |variables| {
                    let [$($x),*] = &variables[..] else { unreachable!() };
                    // Kept: what follows is compiled once, and not for each of the tests.
                    let result = ($f).keep()?;
                    (constant(weights(&$device, result.shape()?)?) * &result).sum()?.keep().and_then(|sum| (sum + result.square().sum()?).keep())
                });
                match result {
                    Ok((gradients, changes)) => Ok((gradients, Some(changes))),
                    Err(gpu_runtime::Error::NoSecondDerivative { .. }) => Ok((Vec::new(), None)),
                    Err(error) => Err(error),
                }
            })?;
        }
    };
    ($name:expr, $($test:tt)*) => { check!(on Device::cpu(), $name, $($test)*) };
}

/// Functions of one array, at several shapes.
macro_rules! unary {
    ($($name:ident)*) => {$( check!(stringify!($name), [[2, 3]] | [[0, 3]] | [[]], |x| x.$name()); )*};
}

/// Functions of two arrays, which are broadcast.
macro_rules! binary {
    ($($name:expr, |$a:ident, $b:ident| $f:expr;)*) => {$(
        check!($name, [[2, 3], [2, 3]] | [[3], [2, 3]] | [[2, 1], [1, 3]] | [[1, 3], []] | [[1], [0, 1]], |$a, $b| $f);
    )*};
}

#[test]
fn functions_of_elements_have_the_gradients_of_differences() -> Result<()> {
    unary! {
        abs square recip sqrt cbrt exp exp2 exp_m1 ln ln_1p log2 log10 sin cos tan atan sinh cosh tanh asinh relu sigmoid silu gelu softplus
        rsqrt erf erfc norm_cdf
    }
    check!("asin", [[2, 3]], |x| (x * 0.5).asin());
    check!("acos", [[2, 3]], |x| (x * 0.5).acos());
    check!("atanh", [[2, 3]], |x| (x * 0.5).atanh());
    check!("acosh", [[2, 3]], |x| (x + 1.0).acosh());
    check!("powi", [[2, 3]], |x| x.powi(3));
    check!("powi", [[2, 3]], |x| x.powi(-2));
    check!("negative numbers", [[2, 3]], |x| (-x).sigmoid()
        + (-x).silu()
        + (-x).gelu()
        + (-x).softplus()
        + (-x).relu()
        + (-x).abs()
        + (-x).erf()
        + (-x).norm_cdf());
    Ok(())
}

/// Only its floats are differentiated by.
#[vectorize(grad = 2)]
fn wave(count: u32, x: f64, is_damped: bool, decay: f64) -> f64 {
    let phase = x * count as f64;
    if is_damped { (-decay * x).exp() * phase.sin() } else { phase.cos() * decay }
}

#[test]
fn functions_of_two_arrays_have_the_gradients_of_differences() -> Result<()> {
    let (number, row) = (1.5, array(3, 5)?);
    binary! {
        "add", |a, b| a + b;
        "sub", |a, b| a - b;
        "mul", |a, b| a * b;
        "div", |a, b| a / b;
        "powf", |a, b| a.powf(b);
        "hypot", |a, b| a.hypot(b);
        "atan2", |a, b| a.atan2(b);
        "min_with", |a, b| a.min_with(b);
        "max_with", |a, b| a.max_with(b);
        "minimum", |a, b| a.minimum(b);
        "maximum", |a, b| a.maximum(b);
        "clamp", |a, b| (a * 3.0).clamp(b * 1.1, b + 2.0) + a.clamp(0.7, 1.3);
        "a chain", |a, b| (a * b + a).tanh() * (b - a.exp());
        "numbers", |a, b| 2.0 - number * a / (1.0 + b) - 3.0;
        "arrays", |a, b| &row - (&row * a) / (&row + b) + row.view() * a;
        "a function", |a, b| bump::traced(a, b) + bump::traced(a, 2.0) + bump::traced(&row, b);
        "a function with constants", |a, b| wave::traced(lazy(&[1u32, 2, 3]), a, true, b * 0.5) + wave::traced(2, b, false, a);
        "selected", |a, b| select(a.stop_gradient().lt(0.9), a * b, b.square());
    }
    Ok(())
}

#[test]
fn operations_have_the_gradients_of_differences() -> Result<()> {
    let device = Device::best()?;
    let (rows, labels) = (device.to_device(&[2u32, 0, 2, 1])?, device.to_device(&[2i32, 0])?);
    let x = array_on(&device, [2, 3], 7)?;
    check!(on device, "sum", [[2, 3]], |x| x.sum()?);
    check!(on device, "sum", [[0, 3]], |x| x.sum()?);
    check!(on device, "sum_axis", [[2, 3, 2]], |x| x.square().sum_axis(1)?);
    check!(on device, "sum_axis", [[2, 3, 2]], |x| x.square().sum_axis([0, 2])?);
    check!(on device, "sum_axis", [[0, 3]], |x| x.sum_axis(0)?);
    check!(on device, "sum_axis of a broadcast", [[3], [2, 1]], |x, y| (x * y).sum_axis(keep_dims(1))?);
    check!(on device, "mean", [[2, 3]], |x| x.exp().mean()?);
    check!(on device, "mean_axis", [[2, 3]], |x| x.exp().mean_axis(0)?);
    check!(on device, "mean_axis", [[2, 3]], |x| x / x.mean_axis(keep_dims(1))?);
    check!(on device, "matmul", [[2, 3], [3, 4]], |x, y| x.matmul(y)?);
    check!(on device, "matmul of chains", [[2, 3], [3, 1]], |x, y| x.sin().matmul(y.exp())?);
    check!(on device, "matmul with itself", [[3, 3]], |x| x.matmul(x)?.matmul(x)?);
    check!(on device, "matmul of constants", [[3, 4]], |y| constant(&x).matmul(y)? + y.t()?.matmul(x.t())?.t()?);
    check!(on device, "matmul of a vector", [[3], [3, 4]], |x, y| x.matmul(y)?);
    check!(on device, "matmul with a vector", [[2, 3], [3]], |x, y| x.matmul(y)?);
    check!(on device, "matmul of vectors", [[3], [3]], |x, y| x.matmul(y)?);
    check!(on device, "matmul of batches", [[2, 2, 3], [3, 2]], |x, y| x.matmul(y)?);
    check!(on device, "matmul of batches", [[2, 1, 2, 3], [4, 3, 1]], |x, y| x.matmul(y)?);
    check!(on device, "matmul of batches and a vector", [[3], [2, 3, 2]], |x, y| x.matmul(y)?);
    check!(on device, "matmul of batches and a vector", [[2, 2, 3], [3]], |x, y| x.matmul(y)?);
    check!(on device, "matmul of nothing", [[2, 0], [0, 3]], |x, y| x.matmul(y)?);
    check!(on device, "reshape", [[2, 3]], |x| x.square().reshape([3, 2])?);
    check!(on device, "t", [[2, 3], [3]], |x, y| (x * y).t()?);
    check!(on device, "permute", [[2, 3, 4]], |x| x.square().permute([2, 0, 1])?);
    check!(on device, "take", [[3, 2]], |x| x.square().take(&rows)?);
    check!(on device, "take", [[3]], |x| x.take(&rows)?);
    check!(on device, "take", [[3, 2]], |x| x.take(rows.view().reshape([2, 2])?)?);
    check!(on device, "part", [[3, 4]], |x| x.square().part((1.., stepped(.., -2)))?);
    check!(on device, "part", [[3, 4]], |x| x.part(-1)? * x.part((0, ..))?);
    check!(on device, "softmax", [[2, 3]], |x| x.softmax(1)?);
    check!(on device, "softmax", [[2, 3]], |x| x.square().softmax(0)?);
    check!(on device, "log_softmax", [[2, 3]], |x| x.square().log_softmax(1)?);
    check!(on device, "layer_norm", [[2, 3], [3]], |x, y| x.square().layer_norm(1, 0.1)? * y);
    check!(on device, "layer_norm", [[3, 2]], |x| x.layer_norm(0, 0.1)?);
    check!(on device, "cross_entropy", [[2, 3]], |x| x.square().cross_entropy(&labels)?);
    check!(on device, "keep", [[2, 3], [3]], |x, y| {
        let kept = (x * y).tanh().keep()?;
        &kept * &kept + kept.sum()? * x
    });
    Ok(())
}

#[test]
fn reductions_scans_and_joins_have_the_gradients_of_differences() -> Result<()> {
    let device = Device::best()?;
    let zeros = device.to_device(&[1.0, 0.0, 2.0, 0.0, 1.0, 0.0])?.reshape([2, 3])?;
    check!(on device, "max", [[2, 3]], |x| x.square().max()?);
    check!(on device, "max_axis", [[2, 3, 2]], |x| x.square().max_axis([0, 2])?);
    check!(on device, "min_axis", [[2, 3], [3]], |x, y| x / (x * y).min_axis(keep_dims(1))?);
    check!(on device, "min", [[]], |x| x.sin().min()?);
    check!(on device, "max_axis of nothing", [[0, 3]], |x| x.max_axis(1)?);
    check!(on device, "prod", [[2, 3]], |x| x.sin().prod()?);
    check!(on device, "prod_axis", [[2, 3, 2]], |x| x.prod_axis([0, 2])?);
    check!(on device, "prod_axis", [[2, 3, 2]], |x| x.square().prod_axis(keep_dims(1))?);
    check!(on device, "prod_axis of nothing", [[0, 3]], |x| x.prod_axis(0)?);
    check!(on device, "prod_axis with zeros", [[2, 3]], |x| (x * &zeros).prod_axis(1)?);
    check!(on device, "prod_axis with zeros", [[2, 3]], |x| (x * &zeros).prod_axis(0)?);
    check!(on device, "cumsum", [[2, 3]], |x| x.square().cumsum()?);
    check!(on device, "cumsum", [[]], |x| x.cumsum()?);
    check!(on device, "cumsum_axis", [[2, 3, 2]], |x| x.cumsum_axis(1)? * x);
    check!(on device, "cumprod", [[2, 3]], |x| x.square().cumprod()?);
    check!(on device, "cumprod", [[]] | [[0, 3]] | [[3, 0]], |x| x.cumprod()?);
    check!(on device, "cumprod with zeros", [[2, 3]], |x| (x * &zeros).cumprod()?);
    check!(on device, "cumprod_axis", [[3, 2, 2]], |x| x.cumprod_axis(0)? * x);
    check!(on device, "cummax", [[2, 7]], |x| x.sin().cummax()?);
    check!(on device, "cummax", [[]] | [[0, 3]] | [[3, 0]], |x| x.cummax()?);
    check!(on device, "cummax_axis", [[7, 2]], |x| x.cummax_axis(0)? * x);
    check!(on device, "cummin", [[2, 7], [7]], |x, y| (x * y).cummin()?);
    check!(on device, "cummin_axis", [[7, 2]], |x| x.cummin_axis(0)?);
    check!(on device, "sort", [[2, 4]], |x| x.sin().sort()?);
    check!(on device, "sort_axis", [[4, 2, 2]], |x| x.sort_axis(0)? * x);
    check!(on device, "concatenate", [[2, 3], [2, 1]], |x, y| concatenate([x, y, x], 1)?);
    check!(on device, "concatenate", [[2, 3], [1, 3]], |x, y| concatenate([&x.sin(), &y.sin()], 0)?);
    check!(on device, "stack", [[2, 3], [2, 3]], |x, y| stack([x, y], 1)?.square());
    Ok(())
}

#[test]
fn products_have_the_gradients_of_differences() -> Result<()> {
    let device = Device::best()?;
    let (x, w) = (array_on(&device, [2, 3], 7)?, array_on(&device, 3, 8)?);
    check!(on device, "einsum", [[2, 3], [3, 4]], |x, y| x.einsum("ij,jk->ik", y)?);
    check!(on device, "einsum", [[2, 3], [4, 3]], |x, y| x.sin().einsum("ij,kj", y.exp())?);
    check!(on device, "einsum of batches", [[2, 3, 2], [3, 2, 4]], |x, y| x.einsum("ibj,bjk->kbi", y)?);
    check!(on device, "einsum of vectors", [[2], [3]], |x, y| x.einsum("i,j->ji", y)?);
    check!(on device, "einsum to a number", [[2, 3], [2, 3]], |x, y| x.einsum("ij,ij->", y)?);
    check!(on device, "einsum of sums", [[2, 3], [4, 2]], |x, y| x.einsum("ij,ki->i", y)?);
    check!(on device, "einsum of sums", [[2, 3], [4]], |x, y| x.einsum("ij,k->k", y)?);
    check!(on device, "einsum of a constant", [[3, 2]], |y| constant(&x).einsum("ij,jk->ki", y)? + y.einsum("jk,ij->ki", &x)?);
    check!(on device, "convolve", [[4], [3]], |x, y| x.square().convolve(y)?);
    check!(on device, "convolve", [[1], [3]], |x, y| x.convolve(y)? + constant(&w).convolve(x)?);
    check!(on device, "convolve with itself", [[3]], |x| x.convolve(x)?);
    let error = variable(&x).einsum("ii,ij->j", &x).err().unwrap().to_string();
    assert!(error.contains("that one array has twice"), "{error}");
    let error = variable(&x).einsum("...,...", &x).err().unwrap().to_string();
    assert!(error.contains("`...` in `...,...` has no gradient"), "{error}");
    Ok(())
}

#[test]
fn fourier_transforms_have_the_gradients_of_differences() -> Result<()> {
    for len in [1, 2, 7, 8] {
        check!("rfft", [[2, len]], |x| x.sin().rfft()?);
        check!("irfft", [[2, len / 2 + 1, 2]], |x| x.sin().irfft(len)?);
        check!("a filter", [[len], [len / 2 + 1, 1]], |x, weights| (x.rfft()? * weights).irfft(len)?);
    }
    check!("rfft of none", [[0, 4]], |x| x.rfft()?);
    let x = array([3, 3], 1)?;
    let error = variable(&x).irfft(4).err().unwrap().to_string();
    assert!(error.contains("the last axis has the real and the imaginary part"), "{error}");
    assert!(variable(&x).reshape(9)?.part(..0)?.rfft().is_err());
    Ok(())
}

#[test]
fn jacobians_and_hessians_are_arrays() -> Result<()> {
    let device = Device::best()?;
    let x = array_on(&device, [2, 3], 1)?;
    // Of elements, a diagonal.
    let slopes = jacobian(&x, |x| Ok(x.sin()))?;
    assert_eq!(slopes.shape(), [2, 3, 2, 3]);
    let expected = device.eye::<f64>(6)?.collect()? * x.view().reshape(6)?.cos();
    assert!((slopes.view().reshape([6, 6])? - expected).abs().max()? < 1e-15);
    // Of a number, the gradient; the Hessian is the derivative of it.
    assert_eq!(host(&jacobian(&x, |x| x.prod())?), host(&grad(&x, |x| x.prod())?));
    let curves = hessian(&x, |x| (x.part(0)? * x.part(1)?.square()).sum())?;
    assert_eq!(curves.shape(), [2, 3, 2, 3]);
    let curves = curves.to_host()?;
    let at = |i: [usize; 4]| curves[(i[0] * 3 + i[1]) * 6 + i[2] * 3 + i[3]];
    let x = x.to_host()?;
    assert_eq!((at([0, 1, 1, 1]), at([1, 1, 0, 1]), at([1, 1, 1, 1]), at([0, 0, 0, 0])), (2.0 * x[4], 2.0 * x[4], 2.0 * x[1], 0.0));
    assert_eq!(jacobian(&device.zeros::<f64>(0)?, |x| Ok(x.exp()))?.shape(), [0, 0]);
    assert!(hessian(&device.zeros::<f64>(2)?, |x| Ok(x.exp())).err().unwrap().to_string().contains("`hessian`"));
    Ok(())
}

#[test]
fn a_curvature_without_a_limit_counts_unless_nothing_is_selected() -> Result<()> {
    let (zero, one) = (Device::cpu().to_device(&[0.0])?, Device::cpu().to_device(&[1.0])?);
    let changes = |f: &dyn Fn(Stored<'_, f64>) -> Result<Stored<'_, f64>>| -> Result<f64> { Ok(host(&hvp(&zero, &one, f)?.1)[0]) };
    // As with dual numbers: no finite number is right.
    assert!(changes(&|x| x.abs().powf(1.5).sum())?.is_nan());
    assert!(changes(&|x| x.powf(1.5).powf(4.0 / 3.0).sum())?.is_nan());
    assert_eq!(changes(&|x| (x.exp() * x).square().sum())?, 2.0);
    // The entropy of what has no weight.
    let (p, v) = (Device::cpu().to_device(&[0.0, 0.5])?, Device::cpu().to_device(&[1.0, 1.0])?);
    let by_p = hvp(&p, &v, |p| select(p.stop_gradient().gt(0.0), p.ln() * p, 0.0).sum())?.1;
    assert_eq!(host(&by_p), [0.0, 2.0]);
    for (exponent, expected) in [(1.0, f64::NEG_INFINITY), (2.0, 0.0)] {
        let p = Device::cpu().to_device(&[exponent])?;
        let (by_x, _) = hvp((&zero, &p), (&zero, &one), |(x, p)| x.powf(p).sum())?.1;
        assert_eq!(host(&by_x), [expected], "exponent {exponent}");
    }
    Ok(())
}

#[test]
fn equal_elements_and_nan_in_running_extremes() -> Result<()> {
    let x = Device::cpu().to_device(&[2.0, 1.0, 2.0, 3.0, f64::NAN, 4.0])?;
    let by_x = host(&grad(&x, |x| x.cummax()?.sum())?);
    assert_eq!(by_x[..4], [3.0, 0.0, 0.0, 1.0]);
    assert!(by_x[4].is_nan() && by_x[5].is_nan(), "{by_x:?}");
    assert_eq!(host(&grad(&x, |x| x.part(..4)?.cummin()?.sum())?)[..4], [1.0, 3.0, 0.0, 0.0]);
    // An infinite slope stays at its place.
    let x = Device::cpu().to_device(&[1.0, 0.0])?;
    assert_eq!(host(&grad(&x, |x| x.cummin()?.sqrt().sum())?), [0.5, f64::INFINITY]);
    // A product that is infinite for nobody.
    let x = Device::cpu().to_device(&[1e-200, 1e-200, 1e200, 1e200, 1e200])?;
    assert_eq!(host(&grad(&x, |x| x.cumprod()?.part(0)?.sum())?), [1.0, 0.0, 0.0, 0.0, 0.0]);
    Ok(())
}

#[test]
fn linear_algebra_has_the_gradients_of_differences() -> Result<()> {
    let (two, three) = (Device::cpu().eye::<f64>(2)? * 3.0, Device::cpu().eye::<f64>(3)? * 5.0);
    let (two, three) = (two.collect()?, three.collect()?);
    check!("solve", [[3, 3], [3]], |a, b| (a + &three).solve(b)?);
    check!("solve", [[3, 3], [3, 2]], |a, b| (a + &three).solve(b.square())?);
    check!("solve for a constant", [[3, 3]], |a| (a + &three).solve(&three)?);
    check!("solve by a constant", [[3]], |b| constant(&three).solve(b)?);
    check!("solve with one array", [[3, 3]], |a| (a + &three).solve(a)?);
    check!("solve of batches", [[2, 2, 2], [2]], |a, b| (a + &two).solve(b)?);
    check!("solve of batches", [[2, 2, 2], [2, 3]], |a, b| (a + &two).solve(b)?);
    check!("solve of batches", [[2, 2, 2], [2, 2, 1]], |a, b| (a + &two).solve(b)?);
    check!("solve of batches", [[1, 2, 2], [3, 2, 1]], |a, b| (a + &two).solve(b)?);
    check!("inv", [[3, 3]], |a| (a + &three).inv()?);
    check!("inv of batches", [[2, 2, 2]], |a| (a + &two).inv()?);
    check!("det", [[3, 3]], |a| (a + &three).det()?);
    check!("det of one element", [[1, 1]], |a| a.square().det()?);
    check!("cholesky", [[3, 3]], |a| (a + &three).cholesky()?);
    check!("cholesky of a product", [[3, 3]], |a| (a.matmul(a.t()?)? + &three).cholesky()?.square());
    check!("cholesky of batches", [[2, 2, 2]], |a| (a + &two).cholesky()?);
    Ok(())
}

#[test]
fn equal_elements_share_the_gradient_of_the_highest() -> Result<()> {
    let x = Device::cpu().to_device(&[2.0, 1.0, 2.0, f64::NAN, 3.0, 4.0])?.reshape([2, 3])?;
    let by_x = host(&grad(&x, |x| x.max_axis(1)?.sum())?);
    assert_eq!(by_x[..3], [0.5, 0.0, 0.5]);
    assert!(by_x[3..].iter().all(|slope| slope.is_nan()), "the maximum is NaN: {by_x:?}");
    assert_eq!(host(&grad(&x, |x| x.part(0)?.min())?)[..3], [0.0, 1.0, 0.0]);
    let (_, tangent) = jvp(&x, &x, |x| x.max_axis(1))?;
    assert!(host(&tangent)[0] == 2.0 && host(&tangent)[1].is_nan());
    // Of infinite elements, those that are not the highest have no part.
    let infinite = Device::cpu().to_device(&[f64::NEG_INFINITY, f64::INFINITY])?;
    assert_eq!(host(&grad(&infinite, |x| x.max())?), [0.0, 1.0]);
    assert_eq!(host(&grad(&Device::cpu().to_device(&[1.0, 1.0, 0.0])?, |x| x.sort()?.part(1)?.sum())?), [1.0, 0.0, 0.0]);
    Ok(())
}

#[test]
fn a_direction_has_the_shape_of_its_array() -> Result<()> {
    let (x, y) = (array(3, 1)?, array(2, 2)?);
    let error = jvp(&x, &y, |x| Ok(x.square())).err().unwrap().to_string();
    assert!(error.contains("the direction of an array has its shape"), "{error}");
    // Of what does not move.
    let (value, tangent) = jvp((&x, &y), (&x, &y), |(x, y)| Ok(constant(x.stop_gradient()) * y.value()?.sum()?))?;
    assert_eq!((value.shape(), host(&tangent)), (Shape::from(3), vec![0.0; 3]));
    Ok(())
}

fn host(x: &DeviceArray<f64>) -> Vec<f64> {
    x.to_host().unwrap()
}

/// At kinks, at the ends of domains and outside of them too.
macro_rules! like_dual_numbers {
    ($($name:ident)*) => {$(
        let points = [-3.0, -1.0, -0.75, -0.0, 0.0, 0.5, 1.0, 2.5, f64::NAN];
        let found = grad(&Device::cpu().to_device(&points)?, |x| x.$name().sum())?.to_host()?;
        let singles = points.map(|x| x as f32);
        let found_singles = grad(&Device::cpu().to_device(&singles)?, |x| x.$name().sum())?.to_host()?;
        for (i, x) in points.into_iter().enumerate() {
            let is_same = |found: f64, expected: f64| (found.is_nan() && expected.is_nan()) || found == expected || (found - expected).abs() < 1e-15;
            let expected = Dual64::variable(x, 1.0).$name().tangent;
            assert!(is_same(found[i], expected), "{} at {x}: {} and not {expected}", stringify!($name), found[i]);
            let (single, expected) = (found_singles[i], Dual32::variable(singles[i], 1.0).$name().tangent);
            let is_near = is_same(single.into(), expected.into()) || (single - expected).abs() <= 1e-6 * expected.abs();
            assert!(is_near, "{} of f32 at {x}: {single} and not {expected}", stringify!($name));
        }
    )*};
}

#[test]
fn functions_of_elements_have_the_derivatives_of_dual_numbers() -> Result<()> {
    like_dual_numbers! {
        abs recip sqrt cbrt exp exp2 exp_m1 ln ln_1p log2 log10 sin cos tan asin acos atan sinh cosh tanh asinh acosh atanh
    }
    Ok(())
}

#[test]
fn a_gradient_is_by_what_was_asked_for() -> Result<()> {
    let device = Device::cpu();
    let (a, b, c) = (device.to_device(&[2.0, 3.0])?, device.to_device(&[5.0])?, device.to_device(&[7.0, 8.0])?);
    let (x, y, unused) = (variable(&a), variable(&b), variable(&c));
    let product = (&x * &y).keep()?;
    let sum = (&product * &product).sum()?;
    let (by_x, by_x_again, by_product, by_unused) = sum.gradient((&x, &x, &product, &unused))?;
    assert_eq!((host(&by_x), host(&by_x_again)), (vec![100.0, 150.0], vec![100.0, 150.0]));
    assert_eq!((host(&by_product), host(&by_unused)), (vec![20.0, 30.0], vec![0.0, 0.0]));
    // Again, of another result.
    assert_eq!(host(&x.sum()?.gradient(&x)?), [1.0, 1.0]);
    // The same array as two variables.
    let (first, second) = (variable(&a), variable(&a));
    let (by_first, by_second) = (&first * second.square()).sum()?.gradient((&first, &second))?;
    assert_eq!((host(&by_first), host(&by_second)), (vec![4.0, 9.0], vec![8.0, 18.0]));
    // A variable by itself, and views.
    assert_eq!(host(&y.gradient(&y)?), [1.0]);
    let column = variable(a.view().reshape([2, 1])?);
    assert_eq!(column.square().sum()?.gradient(&column)?.shape(), [2, 1]);
    Ok(())
}

#[test]
fn only_one_element_has_a_gradient() -> Result<()> {
    let x = Device::cpu().to_device(&[1.0, 2.0])?;
    let error = grad(&x, |x| Ok(x.square())).unwrap_err().to_string();
    assert!(error.contains("reduce it with `sum` or `mean`, or write `vjp`"), "{error}");
    let error = variable(&x).vjp(&[1.0, 2.0, 3.0], &variable(&x)).unwrap_err().to_string();
    assert!(error.contains("gradient"), "{error}");
    Ok(())
}

#[test]
fn kinks_and_what_is_not_selected_follow_the_convention() -> Result<()> {
    let x = Device::cpu().to_device(&[-4.0, 0.0, 4.0])?;
    let root = grad(&x, |x| select(x.stop_gradient().gt(0.0), x.sqrt(), 0.0).sum())?;
    assert_eq!(host(&root), [0.0, 0.0, 0.25]);
    let logarithm = grad(&x, |x| select(x.stop_gradient().le(0.0), &x * &x, (x.ln() * 2.0).sqrt()).sum())?;
    assert_eq!(host(&logarithm)[..2], [-8.0, 0.0]);
    let kinks = grad(&x, |x| (x.abs() + x.relu() + x.max_with(0.0) + x.min_with(4.0)).sum())?;
    assert_eq!(host(&kinks), [0.0, 1.5, 3.5]);
    let limits = grad(&x, |x| (x.maximum(0.0) + x.minimum(4.0) + x.clamp(-4.0, 4.0)).sum())?;
    assert_eq!(host(&limits), [1.5, 2.5, 2.0]);
    let none = Device::cpu().to_device(&[f64::NAN])?;
    assert!(host(&grad(&none, |x| x.maximum(0.0).sum())?)[0].is_nan() && host(&grad(&none, |x| x.clamp(0.0, 1.0).sum())?)[0].is_nan());
    // The true derivative of the middle one is 1: zero would be wrong.
    assert!(host(&grad(&x, |x| x.cbrt().powi(3).sum())?)[1].is_nan());
    Ok(())
}

#[test]
fn a_constant_has_no_part_in_a_gradient() -> Result<()> {
    let x = Device::cpu().to_device(&[1.0, 2.0])?;
    assert_eq!(host(&grad(&x, |x| (x.stop_gradient() * 3.0).sum().map(|sum| (x * sum).sum())?)?), [9.0, 9.0]);
    let infinite = Device::cpu().to_device(&[0.0, 0.0])?;
    assert_eq!(host(&grad(&x, |x| (&infinite * x.square() + constant(&infinite).sqrt()).sum())?), [0.0, 0.0]);
    Ok(())
}

#[test]
fn values_are_those_of_arrays() -> Result<()> {
    let x = array([3, 4], 1)?;
    let traced = variable(&x);
    let near = |name: &str, found: DeviceArray<f64>, expected: DeviceArray<f64>| -> Result<()> {
        assert_eq!(found.shape(), expected.shape(), "{name}");
        assert!((&found - &expected).abs().max()? < 1e-14, "{name}");
        Ok(())
    };
    near("tanh", traced.tanh().value()?, x.tanh().collect()?)?;
    near("mean", traced.mean_axis(1)?.value()?, x.mean_axis(1)?)?;
    near("layer_norm", traced.layer_norm(1, 0.5)?.value()?, x.layer_norm(1, 0.5)?)?;
    let large = Device::cpu().to_device(&[16_777_216.0f32, 16_777_218.0])?;
    assert_eq!(variable(&large).layer_norm(0, 0.0)?.value()?.to_host()?, [-1.0, 1.0]);
    near("matmul", traced.matmul(traced.t()?)?.value()?, x.matmul(x.t())?)?;
    let labels = Device::cpu().to_device(&[3u8, 0, 1])?;
    let entropy = traced.cross_entropy(&labels)?.value()?.to_host()?[0];
    assert!((entropy - x.cross_entropy(&labels)?).abs() < 1e-14);
    let error = traced.cross_entropy(traced.value()?.sum_axis(0)?.cast::<u8>()).err().unwrap().to_string();
    assert!(error.contains("a row for each label"), "{error}");
    Ok(())
}

/// The gradient of a chain by each of its arrays is one kernel. (The gradient by the sum is 1, which is filled in; the sum is not needed.)
#[test]
fn the_gradients_of_a_chain_are_one_kernel_each() -> Result<()> {
    let (x, w, b) = (array([4, 3], 1)?, array([4, 3], 2)?, array(3, 3)?);
    let kernels = kernels_of(|| grad((&w, &b), |(w, b)| bump::traced((&x * w + b).tanh(), 2.0).sum()))?;
    let names: Vec<&str> = kernels.iter().map(UsedKernel::name).collect();
    assert_eq!(names, ["map_fill", "reduce_sum", "map_mul"]);
    // However often an array is used.
    let kernels = kernels_of(|| grad(&w, |w| (w.square() * &w - &w / &x).sum()))?;
    let names: Vec<&str> = kernels.iter().map(UsedKernel::name).collect();
    assert_eq!(names, ["map_fill", "map_add"]);
    // The array and the number are read once, so NVRTC finds what several slopes compute.
    let kernels = kernels_of(|| grad(&w, |w| (w.square() * 0.5 + &w).tanh().sum()))?;
    let source = kernels.last().unwrap().cuda_source();
    let halves: Vec<&str> =
        source.lines().filter_map(|line| line.split_once("= mul(r")?.1.split_once(", in.")).map(|(_, number)| number).collect();
    assert!(halves.len() >= 2 && halves[0] == halves[1], "{source}");
    assert_eq!(source.matches("  x.v").count(), 2, "{source}");
    Ok(())
}

/// Also along a direction, where an infinite slope times no step would be NaN.
#[test]
fn what_is_not_selected_does_not_count_along_a_direction() -> Result<()> {
    let device = Device::cpu();
    let (x, dx) = (device.to_device(&[0.0, 4.0])?, device.to_device(&[0.0, 1.0])?);
    let (_, along) = jvp(&x, &dx, |x| Ok(select(x.stop_gradient().gt(0.0), x.sqrt(), 0.0)))?;
    assert_eq!(host(&along), [0.0, 0.25]);
    Ok(())
}

/// A kernel reads a limited number of arrays: more uses of one array take several, and the sum is that of all.
#[test]
fn an_array_is_used_any_number_of_times_in_a_chain() -> Result<()> {
    let x = array(5, 1)?;
    macro_rules! cubes {
        ($x:ident $($other:ident)*) => { &$x * &$x * &$x $(+ { let _ = stringify!($other); &$x * &$x * &$x })* };
    }
    let (_, by_x, along) = {
        let (by_x, cubes) =
            (grad(&x, |x| (cubes!(x a b c d e f g h i j k l)).sum())?, jvp(&x, &x, |x| Ok(cubes!(x a b c d e f g h i j k l)))?);
        (cubes.0, by_x, cubes.1)
    };
    for ((x, by_x), along) in host(&x).into_iter().zip(host(&by_x)).zip(host(&along)) {
        assert!((by_x - 39.0 * x * x).abs() < 1e-12 && (along - 39.0 * x * x * x).abs() < 1e-12, "{x}: {by_x}, {along}");
    }
    Ok(())
}

#[test]
fn gradients_are_compiled_for_a_gpu() -> Result<()> {
    if !has_nvrtc("gradients_are_compiled_for_a_gpu") {
        return Ok(());
    }
    let (x, w) = (array([3, 4], 1)?, array([4, 4], 2)?);
    let (rows, labels) = (Device::cpu().to_device(&[2u32, 0])?, Device::cpu().to_device(&[0u8, 3, 1])?);
    let kernels = kernels_of(|| {
        grad((&x, &w), |(x, w)| {
            let y = (x.powi(3) / (x.gelu() + 1.0)).max_with(x.atan2(0.5)).matmul(&w)?.layer_norm(1, 1e-5)?;
            let z = select(y.stop_gradient().gt(0.0), y.ln(), bump::traced(&y, 2.0)).keep()?;
            let parts = z.take(&rows)?.softmax(1)?.sum()? + z.part((0, ..))?.sum()?;
            Ok(parts + (y * w.mean_axis(0)?).cross_entropy(&labels)?)
        })
    })?;
    for kernel in kernels {
        kernel.cubin("sm_80").unwrap_or_else(|error| panic!("{}: {error}", kernel.name()));
    }
    Ok(())
}

/// So many operations that dropping one inside of another would overflow the stack.
#[test]
fn a_long_computation_is_differentiated_and_dropped() -> Result<()> {
    let x = Device::cpu().to_device(&[1.0])?;
    let by_x = grad(&x, |x| {
        let mut sum = x.sum()?;
        for _ in 0..10_000 {
            sum = (&sum + &x).sum()?;
        }
        Ok(sum)
    })?;
    assert_eq!(host(&by_x), [10_001.0]);
    Ok(())
}

/// What is stopped does not keep its past: neither its memory, nor the stack that dropping it would take.
#[test]
fn a_long_computation_of_constants_keeps_nothing() -> Result<()> {
    let x = Device::cpu().to_device(&[1.0])?;
    let by_x = grad(&x, |x| {
        let mut sum = x.sum()?;
        for _ in 0..50_000 {
            sum = (&x + sum.stop_gradient() * 0.5).reshape([])?;
            sum = (&x + sum.stop_gradient() * 0.5).sum()?;
        }
        Ok(sum)
    })?;
    assert_eq!(host(&by_x), [1.0]);
    Ok(())
}

/// The mean of the logistic losses of labels −1 and 1.
#[test]
fn a_logistic_regression_has_the_gradient_by_hand() -> Result<()> {
    let (rows, columns) = (40, 3);
    let (x, w, b) = (array([rows, columns], 1)?, array(columns, 2)?, array([], 3)?);
    let labels: Vec<f64> = (0..rows).map(|i| if i % 3 == 0 { 1.0 } else { -1.0 }).collect();
    let y = Device::cpu().to_device(&labels)?;
    let (loss, (by_w, by_b)) = value_and_grad((&w, &b), |(w, b)| (-(&y * (constant(&x).matmul(w)? + b))).softplus().mean())?;
    let (of_x, of_w, of_b) = (host(&x), host(&w), host(&b)[0]);
    let (mut expected, mut slopes, mut of_bias) = (0.0, vec![0.0; columns], 0.0);
    for (row, label) in of_x.chunks(columns).zip(&labels) {
        let score: f64 = row.iter().zip(&of_w).map(|(x, w)| x * w).sum::<f64>() + of_b;
        expected += (-label * score).exp().ln_1p() / rows as f64;
        let slope = -label / (1.0 + (label * score).exp()) / rows as f64;
        slopes.iter_mut().zip(row).for_each(|(sum, x)| *sum += slope * x);
        of_bias += slope;
    }
    assert!((loss - expected).abs() < 1e-12);
    host(&by_w).iter().zip(slopes).for_each(|(found, expected)| assert!((found - expected).abs() < 1e-12, "{found}, {expected}"));
    assert!((host(&by_b)[0] - of_bias).abs() < 1e-12);
    Ok(())
}

/// Two layers in `f32`, with the step of each parameter.
#[test]
fn a_step_of_a_network_is_that_by_hand() -> Result<()> {
    let device = Device::best()?;
    let single = |shape: [usize; 2], seed| -> Result<DeviceArray<f32>> {
        device.to_device(&numbers(shape[0] * shape[1], seed).iter().map(|&x| x as f32 - 0.9).collect::<Vec<_>>())?.reshape(shape)
    };
    let (x, y) = (single([8, 4], 1)?, device.to_device(&[0u32, 1, 2, 0, 1, 2, 2, 1])?);
    let [mut w1, mut b1, mut w2, mut b2] = [single([4, 5], 2)?, single([1, 5], 3)?, single([5, 3], 4)?, single([1, 3], 5)?];
    // By hand.
    let hidden = (x.matmul(&w1)? + &b1).tanh().collect()?;
    let scores = (hidden.matmul(&w2)? + &b2).collect()?;
    let of_scores = ((scores.softmax(1)? - y.one_hot::<f32>(3)?) / 8.0).collect()?;
    let of_hidden = (of_scores.matmul(w2.t())? * (1.0 - &hidden * &hidden)).collect()?;
    let expected =
        [x.t().matmul(&of_hidden)?, of_hidden.sum_axis(keep_dims(0))?, hidden.t().matmul(&of_scores)?, of_scores.sum_axis(keep_dims(0))?];
    let (loss, (dw1, db1, dw2, db2)) = value_and_grad((&w1, &b1, &w2, &b2), |(w1, b1, w2, b2)| {
        let hidden = (constant(&x).matmul(w1)? + b1).tanh();
        (hidden.matmul(w2)? + b2).cross_entropy(&y)
    })?;
    assert!((loss - scores.cross_entropy(&y)?).abs() < 1e-6);
    for (found, expected) in [&dw1, &db1, &dw2, &db2].into_iter().zip(&expected) {
        assert_eq!(found.shape(), expected.shape());
        assert!((found - expected).abs().max()? < 1e-6, "{:?}", (found.to_host()?, expected.to_host()?));
    }
    // The arrays are not borrowed any more.
    w1 -= &dw1 * 0.1;
    b1 -= &db1 * 0.1;
    w2 -= &dw2 * 0.1;
    b2 -= &db2 * 0.1;
    let after = (matmul((matmul(&x, &w1) + &b1).tanh(), &w2) + &b2).cross_entropy(&y)?;
    assert!(after < loss, "{after} after the step, {loss} before it");
    Ok(())
}

/// Layers of which there are any number.
#[test]
fn a_slice_of_variables_has_as_many_gradients() -> Result<()> {
    fn layers<'a>(x: &DeviceArray<f64>, w: &[Stored<'a, f64>]) -> Result<Vec<DeviceArray<f64>>> {
        let mut hidden = w[0].matmul(x)?;
        for w in &w[1..] {
            hidden = w.matmul(hidden.tanh())?;
        }
        hidden.sum()?.gradient(w)
    }
    let weights = (0..4).map(|seed| array([3, 3], seed)).collect::<Result<Vec<_>>>()?;
    let variables: Vec<_> = weights.iter().map(variable).collect();
    let gradients = layers(&array(3, 8)?, &variables)?;
    assert_eq!(gradients.len(), 4);
    let mut count = 0;
    variables.as_slice().for_each(&mut |_| count += 1);
    assert_eq!(count, 4);
    Ok(())
}

/// Lists, lists in tuples and lists of tuples, whose gradients have the same form.
#[test]
fn lists_of_arrays_have_lists_of_gradients() -> Result<()> {
    let arrays = (0..2).map(|seed| array(3, seed)).collect::<Result<Vec<_>>>()?;
    let (x, y) = (&arrays[0], &arrays[1]);
    let (slope_by_x, slope_by_y) = (y.to_host()?, x.to_host()?);
    let [by_x, by_y] = grad([x, y], |[x, y]| (x * y).sum())?;
    assert_eq!((by_x.to_host()?, by_y.to_host()?), (slope_by_x.clone(), slope_by_y.clone()));
    for by in [
        grad(&arrays, |list| (&list[0] * &list[1]).sum())?,
        grad(&arrays[..], |list| (&list[0] * &list[1]).sum())?,
        grad(vec![x, y], |list| (&list[0] * &list[1]).sum())?,
    ] {
        assert_eq!((by.len(), by[0].to_host()?, by[1].to_host()?), (2, slope_by_x.clone(), slope_by_y.clone()));
    }
    let (layers, by_z) = grad((vec![(x, y), (y, x)], x), |(layers, z)| (&layers[0].0 * &layers[1].0 + z * 3.0).sum())?;
    let slopes: Vec<_> = layers.iter().map(|(a, b)| Ok((a.to_host()?, b.to_host()?))).collect::<Result<_>>()?;
    assert_eq!(slopes, [(slope_by_x, vec![0.0; 3]), (slope_by_y, vec![0.0; 3])]);
    assert_eq!(by_z.to_host()?, [3.0; 3]);
    // Along directions, and by references to variables.
    let (value, along) = jvp(vec![x, y], vec![y, x], |list| (&list[0] * &list[1]).sum())?;
    assert_eq!(value.get([])?, (x * y).sum()?);
    assert!((along.get([])? - (x.square() + y.square()).sum()?).abs() < 1e-12);
    let variables = variable(&arrays);
    let by = variables[0].square().sum()?.gradient(variables.iter().rev().collect::<Vec<_>>())?;
    assert_eq!((by[0].to_host()?, by[1].to_host()?), (vec![0.0; 3], (x * 2.0).to_host()?));
    Ok(())
}
