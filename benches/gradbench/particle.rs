//! `particle`: where to put a charge so that a particle passes through the origin: a derivative of a function that has derivatives in its loop.

use gpu_benches::Result;
use gpu_runtime::prelude::*;

use crate::descent::minimum;
use crate::input::Input;
use crate::protocol::{Evaluated, Runs, unknown};

/// The potential of the charges at (10, 10 − w) and (10, 0).
#[gpu_device(grad = 2)]
fn potential(x: f64, y: f64, w: f64) -> f64 {
    1.0 / (x - 10.0).hypot(y - (10.0 - w)) + 1.0 / (x - 10.0).hypot(y)
}

/// The square of where the particle passes through the axis, by Euler's method.
#[gpu_device(grad)]
fn miss(w: f64) -> f64 {
    let step: f64 = 0.1;
    let (mut x, mut y): (f64, f64) = (0.0, 8.0);
    let (mut speed_x, mut speed_y): (f64, f64) = (0.75, 0.0);
    loop {
        let (_, force_x): (f64, f64) = potential::jvp(x, y, w, 1.0, 0.0, 0.0);
        let (_, force_y): (f64, f64) = potential::jvp(x, y, w, 0.0, 1.0, 0.0);
        let (next_x, next_y): (f64, f64) = (x + step * speed_x, y + step * speed_y);
        if next_y <= 0.0 {
            break;
        }
        x = next_x;
        y = next_y;
        speed_x -= step * force_x;
        speed_y -= step * force_y;
    }
    // Along the last speed.
    let crossing = x - y / speed_y * speed_x;
    crossing * crossing
}

pub(crate) fn evaluate(_: &Device, function: &str, input: &Input<'_>, runs: Runs) -> Result<Evaluated> {
    let w = input.number("w")?;
    match function {
        "ff" => runs.of(|| Ok(minimum([w], |[w]| Ok(miss(w)), |[w]| Ok([miss::grad(w)]))?[0])),
        "fr" | "rf" | "rr" => Err("functions of numbers have derivatives in forward mode alone".into()),
        _ => unknown(function),
    }
}
