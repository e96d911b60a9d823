//! `hello`: the square of a number, and its derivative.

use gpu_benches::Result;
use gpu_runtime::prelude::*;

use crate::input::Input;
use crate::protocol::{Evaluated, Runs, unknown};

#[gpu_device(grad)]
fn square(x: f64) -> f64 {
    x * x
}

pub(crate) fn evaluate(_: &Device, function: &str, input: &Input<'_>, runs: Runs) -> Result<Evaluated> {
    let x = input.as_number()?;
    match function {
        "square" => runs.of(|| Ok(square(x))),
        "double" => runs.of(|| Ok(square::grad(x))),
        _ => unknown(function),
    }
}
