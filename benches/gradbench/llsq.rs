//! `llsq`: the squares of the distances between a polynomial and the signs of its points, as an expression of an array.

use gpu_benches::Result;
use gpu_runtime::gradient::{Stored, constant, grad, variable};
use gpu_runtime::prelude::*;

use crate::input::Input;
use crate::protocol::{Evaluated, Runs, unknown};

/// Half of the sum of squares, for `n` points and the coefficients `x`. The powers of the points are part of the work.
fn objective<'a>(x: &Stored<'a, f64>, n: usize, device: &Device) -> gpu_runtime::Result<Stored<'a, f64>> {
    let m = x.shape()?[0];
    let points = (iota(n).cast::<f64>() * (2.0 / (n as f64 - 1.0)) - 1.0).on(device).collect()?;
    let signs = points.gt(0.0).select(1.0, points.lt(0.0).select(-1.0, 0.0)).collect()?;
    let powers = iota(m).eq(0usize).select(1.0, points.view().insert_axis(1)).cumprod_axis(1)?;
    ((constant(signs) - constant(powers).matmul(x)?).square().sum()? * 0.5).keep()
}

pub(crate) fn evaluate(device: &Device, function: &str, input: &Input<'_>, runs: Runs) -> Result<Evaluated> {
    let (x, n) = (device.to_device(&input.numbers("x")?)?, input.count("n")?);
    match function {
        "primal" => runs.of(|| Ok(objective(&variable(&x), n, device)?.value()?.to_host()?[0])),
        "gradient" => runs.of(|| Ok(grad(&x, |x| objective(&x, n, device))?.to_host()?)),
        _ => unknown(function),
    }
}
