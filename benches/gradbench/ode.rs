//! `ode`: a system of differential equations by Runge and Kutta's method, as expressions of arrays.

use gpu_benches::Result;
use gpu_runtime::gradient::{Stored, concatenate, grad, variable};
use gpu_runtime::prelude::*;

use crate::input::Input;
use crate::protocol::{Evaluated, Runs, unknown};

/// The end of the interval that starts at 0.
const END: f64 = 2.0;

/// The solution of y₀' = x₀, yᵢ' = xᵢ · yᵢ₋₁ at the end, from 0, by that many steps.
fn solution<'a>(x: &Stored<'a, f64>, steps: usize, zeros: &'a DeviceArray<f64>) -> gpu_runtime::Result<Stored<'a, f64>> {
    let n = x.shape()?[0];
    let (first, others) = (x.part(..1)?, x.part(1..)?);
    let slope = |y: &Stored<'a, f64>| concatenate([&first, &(&others * y.part(..n - 1)?).keep()?], 0);
    let (mut y, h) = (variable(zeros), END / steps as f64);
    for _ in 0..steps {
        let k1 = slope(&y)?;
        let k2 = slope(&(&y + &k1 * (h / 2.0)).keep()?)?;
        let k3 = slope(&(&y + &k2 * (h / 2.0)).keep()?)?;
        let k4 = slope(&(&y + &k3 * h).keep()?)?;
        y = (y + (k1 + k2 * 2.0 + k3 * 2.0 + k4) * (h / 6.0)).keep()?;
    }
    Ok(y)
}

pub(crate) fn evaluate(device: &Device, function: &str, input: &Input<'_>, runs: Runs) -> Result<Evaluated> {
    let (x, steps) = (device.to_device(&input.numbers("x")?)?, input.count("s")?);
    let (n, zeros) = (x.len(), device.zeros::<f64>(x.len())?);
    match function {
        "primal" => runs.of(|| Ok(solution(&variable(&x), steps, &zeros)?.value()?.to_host()?)),
        "gradient" => runs.of(|| Ok(grad(&x, |x| solution(&x, steps, &zeros)?.part(n - 1..))?.to_host()?)),
        _ => unknown(function),
    }
}
