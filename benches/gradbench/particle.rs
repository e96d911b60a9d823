//! `particle`: where to put a charge so that a particle passes through the origin: a derivative of a function that has derivatives in its loop.

use gpu_benches::Result;
use gpu_runtime::gradient::{Stored, grad, variable};
use gpu_runtime::prelude::*;

use crate::descent::{NO_INNER_REVERSE_MODE, minimum};
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

/// The force along each axis, of the elements of arrays too.
#[vectorize(grad)]
fn force_x(x: f64, y: f64, w: f64) -> f64 {
    let (_, along): (f64, f64) = potential::jvp(x, y, w, 1.0, 0.0, 0.0);
    -along
}

#[vectorize(grad)]
fn force_y(x: f64, y: f64, w: f64) -> f64 {
    let (_, along): (f64, f64) = potential::jvp(x, y, w, 0.0, 1.0, 0.0);
    -along
}

/// [`miss`] of arrays of one element, whose derivative is in reverse mode.
fn traced_miss<'a>(w: &Stored<'a, f64>, [x, y, speed_x, speed_y]: &'a [DeviceArray<f64>; 4]) -> gpu_runtime::Result<Stored<'a, f64>> {
    let step = 0.1;
    let (mut x, mut y, mut speed_x, mut speed_y) = (variable(x), variable(y), variable(speed_x), variable(speed_y));
    loop {
        let (next_x, next_y) = ((&x + &speed_x * step).keep()?, (&y + &speed_y * step).keep()?);
        if next_y.value()?.to_host()?[0] <= 0.0 {
            break;
        }
        speed_x = (&speed_x + force_x::traced(&x, &y, w) * step).keep()?;
        speed_y = (&speed_y + force_y::traced(&x, &y, w) * step).keep()?;
        (x, y) = (next_x, next_y);
    }
    (x - y / speed_y * speed_x).square().keep()
}

pub(crate) fn evaluate(device: &Device, function: &str, input: &Input<'_>, runs: Runs) -> Result<Evaluated> {
    let w = input.number("w")?;
    match function {
        "ff" => runs.of(|| Ok(minimum([w], |[w]| Ok(miss(w)), |[w]| Ok([miss::grad(w)]))?[0])),
        "rf" => {
            let start = [0.0, 8.0, 0.75, 0.0].map(|x| device.to_device(&[x]));
            let [x, y, speed_x, speed_y] = start;
            let start = [x?, y?, speed_x?, speed_y?];
            let value = |w: [f64; 1]| Ok(traced_miss(&variable(&device.to_device(&w)?), &start)?.value()?.to_host()?[0]);
            let gradient = |w: [f64; 1]| Ok([grad(&device.to_device(&w)?, |w| traced_miss(&w, &start))?.to_host()?[0]]);
            runs.of(|| Ok(minimum([w], value, gradient)?[0]))
        }
        "fr" | "rr" => Err(NO_INNER_REVERSE_MODE.into()),
        _ => unknown(function),
    }
}
