//! A box whose lid moves: velocities on its centre lines at a Reynolds number of 100.
//!
//! U. Ghia, K. N. Ghia, C. T. Shin: High-Re solutions for incompressible flow using the Navier-Stokes equations and a multigrid method. Journal of
//! Computational Physics 48 (1982), tables I and II.

use gpu_runtime::Result;
use gpu_runtime::cluster::Communicator;
use gpu_runtime::prelude::*;

use crate::Fluid;
use crate::kernels::{FLUID, MOVING_WALL, OUTSIDE, Storage, WALL};

/// The height, and the velocity along the lid there, on the vertical line through the middle.
pub const ALONG_LID: [(f32, f32); 15] = [
    (0.9766, 0.84123),
    (0.9688, 0.78871),
    (0.9609, 0.73722),
    (0.9531, 0.68717),
    (0.8516, 0.23151),
    (0.7344, 0.00332),
    (0.6172, -0.13641),
    (0.5000, -0.20581),
    (0.4531, -0.21090),
    (0.2813, -0.15662),
    (0.1719, -0.10150),
    (0.1016, -0.06434),
    (0.0703, -0.04775),
    (0.0625, -0.04192),
    (0.0547, -0.03717),
];

/// The place, and the velocity upwards there, on the horizontal line through the middle.
pub const UPWARDS: [(f32, f32); 15] = [
    (0.9688, -0.05906),
    (0.9609, -0.07391),
    (0.9531, -0.08864),
    (0.9453, -0.10313),
    (0.9063, -0.16914),
    (0.8594, -0.22445),
    (0.8047, -0.24533),
    (0.5000, 0.05454),
    (0.2344, 0.17527),
    (0.2266, 0.17507),
    (0.1563, 0.16077),
    (0.0938, 0.12317),
    (0.0781, 0.10890),
    (0.0703, 0.10091),
    (0.0625, 0.09233),
];

/// Speed of the lid in cells a step, small compared with the speed of sound, 0.577.
const LID: f32 = 0.1;

/// A row of the table: a place, the velocity there, and what was computed.
#[derive(Clone, Copy)]
pub struct Row {
    pub place: f32,
    pub expected: f32,
    pub found: f32,
}

/// The flow in a box of `n` by `n` cells when it no longer changes, along both lines.
///
/// # Errors
///
/// The device fails.
pub fn cavity<S: Storage>(device: &Device, n: usize) -> Result<[Vec<Row>; 2]> {
    // Walls are half a cell from the middle of the first cell of fluid, so the fluid has `n` cells.
    let kind = |[x, y, _]: [usize; 3]| match (x, y) {
        (_, y) if y == n + 2 => OUTSIDE,
        (x, _) if x == 0 || x == n + 1 => WALL,
        (_, 0) => WALL,
        (_, y) if y == n + 1 => MOVING_WALL,
        _ => FLUID,
    };
    let viscosity = LID * n as f32 / 100.0;
    let ranks = Communicator::alone(device);
    let fluid = Fluid::<S>::new(&ranks, [n + 2, n + 3, 1], viscosity, kind, |_| [0.0; 4])?;
    let mut fluid = fluid.with_velocity(Float3::new(LID, 0.0, 0.0));
    fluid.step(30 * (n as f32 / LID) as usize)?;
    let flow = fluid.flow()?;
    // The cells to both sides of the middle line, and between the cells in the other direction.
    let mean = |at: &dyn Fn(usize) -> [usize; 3], plane: usize| (flow.at(at(n / 2))[plane] + flow.at(at(n / 2 + 1))[plane]) / 2.0 / LID;
    let between = |place: f32, value: &dyn Fn(usize) -> f32| {
        let cell = place * n as f32 + 0.5;
        let below = (cell as usize).clamp(1, n - 1);
        value(below) + (value(below + 1) - value(below)) * (cell - below as f32)
    };
    let along = ALONG_LID.map(|(place, expected)| Row { place, expected, found: between(place, &|j| mean(&|i| [i, j, 0], 1)) });
    let upwards = UPWARDS.map(|(place, expected)| Row { place, expected, found: between(place, &|i| mean(&|j| [i, j, 0], 2)) });
    Ok([along.to_vec(), upwards.to_vec()])
}
