//! Where was the heat? The first state of a plate, found from a later one: a descent along the gradient of all steps in between, drawn.
//!
//! The gradient of a step is the adjoint of its kernel, which `#[gpu_kernel(grad)]` writes. It goes back from the last step to the first.
//!
//! ```sh
//! cargo run --release -p plots --example inverse_heat -- --descents 300
//! ```

mod plotting;

use gpu_examples::{Arguments, Failure};
use gpu_runtime::Result;
use gpu_runtime::prelude::*;
use plotters::prelude::*;
use plotting::{BLUE, GREEN, Labels, ORANGE};

const SIDE: usize = 48;
/// Steps of time from the first state to the one that is known.
const STEPS: usize = 30;
const RATE: f32 = 0.3;

/// A step of time: a point approaches the mean of its four neighbours. The border keeps its temperature.
#[gpu_kernel(grad)]
fn spread(now: View<f32, 2>, next: ViewMut<f32, 2>) {
    let (x, y) = grid_2d();
    if x >= SIDE || y >= SIDE || now.shape()[0] != SIDE || now.shape()[1] != SIDE || next.shape()[0] != SIDE || next.shape()[1] != SIDE {
        return;
    }
    if x == 0 || y == 0 || x + 1 == SIDE || y + 1 == SIDE {
        next[[y, x]] = now[[y, x]];
    } else {
        let around = now[[y, x - 1]] + now[[y, x + 1]] + now[[y - 1, x]] + now[[y + 1, x]];
        next[[y, x]] = now[[y, x]] + 0.2 * (around - 4.0 * now[[y, x]]);
    }
}

const GRID: (usize, usize) = (SIDE.div_ceil(32), SIDE.div_ceil(8));

/// The state after all steps.
fn later(first: &DeviceArray<f32>) -> Result<DeviceArray<f32>> {
    let (mut now, mut next) = (lazy(first).collect()?, first.device().zeros_like(first)?);
    for _ in 0..STEPS {
        spread(&now, &mut next).launch(GRID, (32, 8))?;
        std::mem::swap(&mut now, &mut next);
    }
    Ok(now)
}

/// The gradient by the first state, from that by the last one. A step is linear: its gradient does not depend on the state.
fn back(gradient: DeviceArray<f32>) -> Result<DeviceArray<f32>> {
    let mut by_next = gradient;
    for _ in 0..STEPS {
        let mut by_now = by_next.device().zeros_like(&by_next)?;
        let any_state = by_next.device().zeros_like(&by_next)?;
        spread::grad(&any_state, &by_next, &mut by_now).launch(GRID, (32, 8))?;
        by_next = by_now;
    }
    Ok(by_next)
}

/// A hot disc, and a bar that is half as hot.
fn plate() -> Vec<f32> {
    let temperature = |i: usize| {
        let (x, y) = ((i % SIDE) as f32, (i / SIDE) as f32);
        let is_in_disc = (x - 16.0).hypot(y - 24.0) < 7.0;
        let is_in_bar = (x - 34.0).abs() < 3.0 && (y - 24.0).abs() < 14.0;
        if is_in_disc {
            1.0
        } else if is_in_bar {
            0.5
        } else {
            0.0
        }
    };
    (0..SIDE * SIDE).map(temperature).collect()
}

fn main() -> std::result::Result<(), Failure> {
    let arguments = Arguments::parse(
        "Finds an earlier state of a plate in so many steps of descent, and draws it into inverse_heat.svg.",
        &["--descents"],
    );
    let device = arguments.device()?;
    let descents = arguments.number("--descents").unwrap_or(300).max(1);
    println!("going back {STEPS} steps of {SIDE} × {SIDE} points in {descents} descents on {device}");

    let first = device.to_device(&plate())?.reshape([SIDE, SIDE])?;
    let known = later(&first)?;
    let mut found = lazy(&known).collect()?;
    let mut errors = Vec::new();
    for _ in 0..descents {
        let difference = (later(&found)? - &known).collect()?;
        errors.push(f64::from(difference.square().mean()?));
        // Half of the sum of the squares has the difference as its gradient.
        found -= back(difference)? * RATE;
    }
    let [before, after] = [errors[0], errors[errors.len() - 1]];
    let far = |state: &DeviceArray<f32>| -> Result<f32> { Ok((state - &first).square().mean()?.sqrt()) };
    println!("the known state is {:.3} from the first one, what was found {:.3}", far(&known)?, far(&found)?);
    if descents > 1 && !(after < before && far(&found)? < far(&known)?) {
        return Err(format!("the descent has not come nearer: from {before} to {after}").into());
    }
    draw([&first, &known, &found].map(|state| state.view().row(SIDE / 2).to_host()), &errors)
}

fn draw(rows: [Result<Vec<f32>>; 3], errors: &[f64]) -> std::result::Result<(), Failure> {
    let [first, known, found] = rows;
    let rows = [(first?, GREEN), (known?, ORANGE), (found?, BLUE)];
    let of_rows =
        Labels { title: "Middle row: first, known, found".to_owned(), x: ("point", [0.0, SIDE as f64]), y: ("temperature", [-0.2, 1.2]) };
    let of_errors = Labels {
        title: "Mean squared error of the last state, log10".to_owned(),
        x: ("descent", [0.0, errors.len() as f64]),
        y: ("log10", [-9.0, 0.0]),
    };
    plotting::write(
        "inverse_heat.svg",
        [
            (of_rows, &|chart| {
                for (row, colour) in &rows {
                    let points = row.iter().enumerate().map(|(x, &y)| (x as f64, f64::from(y)));
                    chart.draw_series(LineSeries::new(points, colour.stroke_width(2)))?;
                }
                Ok(())
            }),
            (of_errors, &|chart| {
                let points = errors.iter().enumerate().map(|(step, error)| (step as f64, error.max(1e-9).log10()));
                chart.draw_series(LineSeries::new(points, BLUE.stroke_width(2)))?;
                Ok(())
            }),
        ],
    )
}
