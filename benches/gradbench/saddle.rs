//! `saddle`: a saddle point by gradient descents, one inside of another.

use gpu_benches::Result;
use gpu_runtime::prelude::*;
use serde_json::Value;

use crate::descent::{CLOSE, FIRST_RATE, STEPS_OF_RATE, minimum};
use crate::input::Input;
use crate::protocol::{Evaluated, Runs, unknown};

#[gpu_device(grad = 2)]
fn height(x1: f64, y1: f64, x2: f64, y2: f64) -> f64 {
    (x1 * x1 + y1 * y1) - (x2 * x2 + y2 * y2)
}

/// The maximum of `height` over the second point, by gradient descent from a point. It is that of `descent`, as a function with a derivative.
#[gpu_device(grad)]
fn highest(x1: f64, y1: f64, start_x: f64, start_y: f64) -> f64 {
    let close: f64 = CLOSE;
    let mut rate: f64 = FIRST_RATE;
    let mut steps: u32 = 0;
    let (mut x, mut y): (f64, f64) = (start_x, start_y);
    let mut found = height(x1, y1, x, y);
    let (_, _, mut slope_x, mut slope_y): (f64, f64, f64, f64) = height::grad(x1, y1, x, y);
    while slope_x * slope_x + slope_y * slope_y > close * close {
        if steps == STEPS_OF_RATE {
            rate *= 2.0;
            steps = 0;
            continue;
        }
        let (next_x, next_y): (f64, f64) = (x + rate * slope_x, y + rate * slope_y);
        let (dx, dy): (f64, f64) = (next_x - x, next_y - y);
        if dx * dx + dy * dy <= close * close {
            break;
        }
        let next = height(x1, y1, next_x, next_y);
        if next > found {
            x = next_x;
            y = next_y;
            found = next;
            let (_, _, new_x, new_y): (f64, f64, f64, f64) = height::grad(x1, y1, x, y);
            slope_x = new_x;
            slope_y = new_y;
            steps += 1;
        } else {
            rate *= 0.5;
            steps = 0;
        }
    }
    found
}

pub(crate) fn evaluate(_: &Device, function: &str, input: &Input<'_>, runs: Runs) -> Result<Evaluated> {
    let start: [f64; 2] = input.numbers("start")?.try_into().map_err(|_| "a point has two coordinates")?;
    match function {
        "ff" => runs.of(|| {
            let value = |[x, y]: [f64; 2]| Ok(highest(x, y, start[0], start[1]));
            let along = |[x, y]: [f64; 2], dx, dy| highest::jvp(x, y, start[0], start[1], dx, dy, 0.0, 0.0).1;
            let first = minimum(start, value, |point| Ok([along(point, 1.0, 0.0), along(point, 0.0, 1.0)]))?;
            let value = |[x, y]: [f64; 2]| Ok(-height(first[0], first[1], x, y));
            let along = |[x, y]: [f64; 2], dx, dy| -height::jvp(first[0], first[1], x, y, 0.0, 0.0, dx, dy).1;
            let second = minimum(start, value, |point| Ok([along(point, 1.0, 0.0), along(point, 0.0, 1.0)]))?;
            Ok(Value::from([first, second].concat()))
        }),
        "fr" | "rf" | "rr" => Err("functions of numbers have derivatives in forward mode alone".into()),
        _ => unknown(function),
    }
}
