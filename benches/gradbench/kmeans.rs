//! `kmeans`: the cost of centres, and the step of Newton's method, as kernels. The Hessian is diagonal.

use gpu_benches::Result;
use gpu_runtime::prelude::*;
use serde_json::Value;
use std::sync::atomic::Ordering::Relaxed;

use crate::input::{Input, rows_of};
use crate::protocol::{Evaluated, Runs, unknown};

const BLOCK: usize = 128;

/// What a coordinate of a centre adds to the square of the distance to a point.
#[gpu_device(grad = 2)]
fn square_of_difference(centre: f64, point: f64) -> f64 {
    (centre - point) * (centre - point)
}

/// The square of the distance from each point to the nearest centre, and which one that is.
#[gpu_kernel]
fn nearest(points: &[f64], centres: &[f64], dims: usize, squares: &mut [f64], numbers: &mut [u32]) {
    let i = grid_1d();
    if i >= squares.len() || i >= numbers.len() || dims == 0 {
        return;
    }
    let mut lowest = f64::INFINITY;
    let mut number = 0;
    for centre in 0..centres.len() / dims {
        let mut square = 0.0;
        for axis in 0..dims {
            square += square_of_difference(centres[centre * dims + axis], points[i * dims + axis]);
        }
        if square < lowest {
            lowest = square;
            number = centre as u32;
        }
    }
    squares[i] = lowest;
    numbers[i] = number;
}

/// Adds the first and second derivatives of the cost by the coordinates of the centres. The minimum over the centres has those of the nearest.
#[gpu_kernel]
fn derivatives(points: &[f64], centres: &[f64], dims: usize, numbers: &[u32], first: &[AtomicF64], second: &[AtomicF64]) {
    let place = grid_1d();
    if place >= points.len() || dims == 0 {
        return;
    }
    let at = numbers[place / dims] as usize * dims + place % dims;
    let (slope, _): (f64, f64) = square_of_difference::grad(centres[at], points[place]);
    let curvatures: [[f64; 2]; 2] = square_of_difference::hessian(centres[at], points[place]);
    first[at].fetch_add(slope, Relaxed);
    second[at].fetch_add(curvatures[0][0], Relaxed);
}

pub(crate) fn evaluate(device: &Device, function: &str, input: &Input<'_>, runs: Runs) -> Result<Evaluated> {
    let ((points, [n, dims]), (centres, _)) = (input.matrix("points")?, input.matrix("centroids")?);
    let (points, centres) = (device.to_device(&points)?, device.to_device(&centres)?);
    let (mut squares, mut numbers) = (device.zeros::<f64>(n)?, device.zeros::<u32>(n)?);
    match function {
        "cost" => runs.of(|| {
            nearest(&points, &centres, dims, &mut squares, &mut numbers).launch(n.div_ceil(BLOCK), BLOCK)?;
            Ok(squares.sum()?)
        }),
        "dir" => runs.of(|| {
            nearest(&points, &centres, dims, &mut squares, &mut numbers).launch(n.div_ceil(BLOCK), BLOCK)?;
            let (mut first, mut second) = (device.zeros::<f64>(centres.len())?, device.zeros::<f64>(centres.len())?);
            let blocks = points.len().div_ceil(BLOCK);
            derivatives(&points, &centres, dims, &numbers, &mut first, &mut second).launch(blocks, BLOCK)?;
            Ok(Direction { elements: (first / &second).to_host()?, dims })
        }),
        _ => unknown(function),
    }
}

/// A step for each centre.
struct Direction {
    elements: Vec<f64>,
    dims: usize,
}

impl From<Direction> for Value {
    fn from(Direction { elements, dims }: Direction) -> Self {
        rows_of(&elements, dims)
    }
}
