//! `lse`: the logarithm of the sum of exponentials, as an expression of an array.

use gpu_benches::Result;
use gpu_runtime::gradient::{Stored, grad, variable};
use gpu_runtime::prelude::*;

use crate::input::Input;
use crate::protocol::{Evaluated, Runs, unknown};

fn log_sum_exp<'a>(x: &Stored<'a, f64>) -> gpu_runtime::Result<Stored<'a, f64>> {
    let highest = x.max()?;
    ((x - &highest).exp().sum()?.ln() + highest).keep()
}

pub(crate) fn evaluate(device: &Device, function: &str, input: &Input<'_>, runs: Runs) -> Result<Evaluated> {
    let x = device.to_device(&input.numbers("x")?)?;
    match function {
        "primal" => runs.of(|| Ok(log_sum_exp(&variable(&x))?.value()?.to_host()?[0])),
        "gradient" => runs.of(|| Ok(grad(&x, |x| log_sum_exp(&x))?.to_host()?)),
        _ => unknown(function),
    }
}
