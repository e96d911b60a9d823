//! `saddle`: a saddle point by gradient descents, one inside of another.

use gpu_benches::Result;
use gpu_runtime::gradient::{Stored, grad, variable};
use gpu_runtime::prelude::*;
use serde_json::Value;

use crate::descent::{CLOSE, FIRST_RATE, NO_INNER_REVERSE_MODE, STEPS_OF_RATE, minimum};
use crate::input::Input;
use crate::protocol::{Evaluated, Runs, unknown};

#[vectorize(grad = 2)]
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

/// The slope along each axis of the second point, of the elements of arrays too.
#[vectorize(grad)]
fn slope_x(x1: f64, y1: f64, x2: f64, y2: f64) -> f64 {
    let (_, _, along, _): (f64, f64, f64, f64) = height::grad(x1, y1, x2, y2);
    along
}

#[vectorize(grad)]
fn slope_y(x1: f64, y1: f64, x2: f64, y2: f64) -> f64 {
    let (_, _, _, along): (f64, f64, f64, f64) = height::grad(x1, y1, x2, y2);
    along
}

/// [`highest`] of arrays of one element, whose derivative is in reverse mode.
fn traced_highest<'a>(
    x1: &Stored<'a, f64>,
    y1: &Stored<'a, f64>,
    start: &'a [DeviceArray<f64>; 2],
) -> gpu_runtime::Result<Stored<'a, f64>> {
    let number = |x: &Stored<'a, f64>| Ok::<f64, gpu_runtime::Error>(x.value()?.to_host()?[0]);
    let slopes = |x: &Stored<'a, f64>, y: &Stored<'a, f64>| {
        let slopes = [slope_x::traced(x1, y1, x, y).keep()?, slope_y::traced(x1, y1, x, y).keep()?];
        let numbers = [number(&slopes[0])?, number(&slopes[1])?];
        Ok::<_, gpu_runtime::Error>((slopes, numbers))
    };
    let (mut x, mut y) = (variable(&start[0]), variable(&start[1]));
    let mut found = height::traced(x1, y1, &x, &y).keep()?;
    let (mut rate, mut steps, mut slope) = (FIRST_RATE, 0, slopes(&x, &y)?);
    while slope.1[0].hypot(slope.1[1]) > CLOSE {
        if steps == STEPS_OF_RATE {
            (rate, steps) = (2.0 * rate, 0);
            continue;
        }
        if rate * slope.1[0].hypot(slope.1[1]) <= CLOSE {
            break;
        }
        let (next_x, next_y) = ((&x + &slope.0[0] * rate).keep()?, (&y + &slope.0[1] * rate).keep()?);
        let next = height::traced(x1, y1, &next_x, &next_y).keep()?;
        if number(&next)? > number(&found)? {
            slope = slopes(&next_x, &next_y)?;
            (x, y, found, steps) = (next_x, next_y, next, steps + 1);
        } else {
            (rate, steps) = (0.5 * rate, 0);
        }
    }
    Ok(found)
}

pub(crate) fn evaluate(device: &Device, function: &str, input: &Input<'_>, runs: Runs) -> Result<Evaluated> {
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
        "rf" => {
            let arrays = |[x, y]: [f64; 2]| Ok::<_, gpu_runtime::Error>([device.to_device(&[x])?, device.to_device(&[y])?]);
            let begin = arrays(start)?;
            runs.of(|| {
                let value = |point| {
                    let [x, y] = arrays(point)?;
                    Ok(traced_highest(&variable(&x), &variable(&y), &begin)?.value()?.to_host()?[0])
                };
                let gradient = |point| {
                    let [x, y] = arrays(point)?;
                    let (by_x, by_y) = grad((&x, &y), |(x, y)| traced_highest(&x, &y, &begin))?;
                    Ok([by_x.to_host()?[0], by_y.to_host()?[0]])
                };
                let first = minimum(start, value, gradient)?;
                let value = |[x, y]: [f64; 2]| Ok(-height(first[0], first[1], x, y));
                let gradient = |point| {
                    let [x, y] = arrays(point)?;
                    let (by_x, by_y) = grad((&x, &y), |(x, y)| Ok(-height::traced(first[0], first[1], x, y)))?;
                    Ok([by_x.to_host()?[0], by_y.to_host()?[0]])
                };
                let second = minimum(start, value, gradient)?;
                Ok(Value::from([first, second].concat()))
            })
        }
        "fr" | "rr" => Err(NO_INNER_REVERSE_MODE.into()),
        _ => unknown(function),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_modes_have_the_same_gradient() -> Result<()> {
        let array = |x: f64| Device::cpu().to_device(&[x]);
        let (point, start) = ([array(0.75)?, array(-0.5)?], [array(0.6)?, array(0.5)?]);
        let (by_x, by_y) = grad((&point[0], &point[1]), |(x, y)| traced_highest(&x, &y, &start))?;
        let (x, y, _, _) = highest::grad(0.75, -0.5, 0.6, 0.5);
        assert!((by_x.to_host()?[0] - x).abs() < 1e-12 && (by_y.to_host()?[0] - y).abs() < 1e-12);
        assert!((x - 1.5).abs() < 1e-3 && (y + 1.0).abs() < 1e-3);
        Ok(())
    }
}
