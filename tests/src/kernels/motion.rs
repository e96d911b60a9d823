//! Bodies that attract each other, in tiles; and a fluid on a lattice.

use std::f64::consts::PI;

use gpu_runtime::prelude::*;

use crate::bench::Bench;
use crate::{cases, launch};

cases![tiles_of_bodies_attract, a_fluid_steps_like_the_textbook, a_shear_wave_decays_with_the_viscosity];

/// Position and mass, in the 16 bytes that one load brings.
#[derive(Debug, Clone, Copy, PartialEq, DeviceType)]
#[repr(C, align(16))]
pub struct Body {
    at: [f32; 3],
    mass: f32,
}

#[gpu_device]
impl Body {
    const SOFTENING: f32 = 0.01;

    /// The acceleration of `self` by `other`, added to `sum`.
    fn pulled_by(&self, other: Body, sum: &mut [f32]) {
        let mut way = [0.0; 3];
        let mut squared = Self::SOFTENING;
        for k in 0..3 {
            way[k] = other.at[k] - self.at[k];
            squared += way[k] * way[k];
        }
        let pull = other.mass * squared.rsqrt() / squared;
        for k in 0..3 {
            sum[k] += pull * way[k];
        }
    }
}

const THREADS: usize = 32;

/// The accelerations. Each body is loaded once per block, and missing ones have no mass.
#[gpu_kernel(block = THREADS)]
pub fn accelerations(bodies: &[Body], out: &mut [[f32; 3]]) {
    let mut tile = shared::<[Body; THREADS]>();
    let (t, i) = (thread_idx().x, grid_1d());
    let nobody = Body { at: [0.0f32; 3], mass: 0.0 };
    let own: Body = if i < bodies.len() { bodies[i] } else { nobody };
    let mut sum = [0.0f32; 3];
    for first in (0..bodies.len()).step_by(THREADS) {
        tile[t] = if first + t < bodies.len() { bodies[first + t] } else { nobody };
        sync_threads();
        #[unroll(8)]
        for j in 0..THREADS {
            own.pulled_by(tile[j], &mut sum);
        }
        sync_threads();
    }
    if i < out.len() {
        out[i] = sum;
    }
}

fn tiles_of_bodies_attract(bench: &Bench) {
    let body = |i: usize| {
        let at = |k: usize| ((i * 41 + k * 17) % 103) as f32 * 0.1 - 5.0;
        Body { at: [at(0), at(1), at(2)], mass: 1.0 + (i % 5) as f32 * 0.25 }
    };
    let bodies: Vec<Body> = (0..75).map(body).collect();
    let mut out = vec![[-1.0; 3]; bodies.len()];
    launch!(bench, accelerations(&bodies, &mut out), 3, 32);
    let mut momentum = [0.0; 3];
    for (i, own) in bodies.iter().enumerate() {
        for k in 0..3 {
            let pull = |other: &Body| {
                let way = |k: usize| f64::from(other.at[k]) - f64::from(own.at[k]);
                let squared = way(0).powi(2) + way(1).powi(2) + way(2).powi(2) + f64::from(0.01f32);
                f64::from(other.mass) * way(k) / squared.powf(1.5)
            };
            let expected: f64 = bodies.iter().map(pull).sum();
            assert!((f64::from(out[i][k]) - expected).abs() < 1e-4 * (1.0 + expected.abs()), "body {i}: {:?}, not {expected}", out[i]);
            momentum[k] += f64::from(own.mass) * f64::from(out[i][k]);
        }
    }
    assert!(momentum.iter().all(|sum| sum.abs() < 1e-2), "no force from outside, but {momentum:?}");
}

/// The nine velocities of the lattice: rest, along the axes, along the diagonals.
const DIRECTIONS: usize = 9;

#[gpu_device]
fn velocity(q: usize) -> (i32, i32) {
    match q {
        0 => (0, 0),
        1 => (1, 0),
        2 => (0, 1),
        3 => (-1, 0),
        4 => (0, -1),
        5 => (1, 1),
        6 => (-1, 1),
        7 => (-1, -1),
        8 => (1, -1),
        _ => unreachable!(),
    }
}

#[gpu_device]
fn weight(q: usize) -> f64 {
    match q {
        0 => 4.0 / 9.0,
        1..=4 => 1.0 / 9.0,
        _ => 1.0 / 36.0,
    }
}

/// Density and velocity at a place.
#[gpu_device]
fn moments(populations: &[f64]) -> (f64, f64, f64) {
    let (mut density, mut x, mut y) = (0.0, 0.0, 0.0);
    for q in 0..DIRECTIONS {
        let (cx, cy): (i32, i32) = velocity(q);
        density += populations[q];
        x += populations[q] * cx as f64;
        y += populations[q] * f64::from(cy);
    }
    (density, x / density, y / density)
}

#[gpu_device]
fn equilibrium(q: usize, density: f64, x: f64, y: f64) -> f64 {
    let (cx, cy): (i32, i32) = velocity(q);
    let along = cx as f64 * x + cy as f64 * y;
    density * weight(q) * (1.0 + 3.0 * along + 4.5 * along * along - 1.5 * (x * x + y * y))
}

/// A step of the lattice Boltzmann method, D2Q9 with one relaxation time, on a torus: gather what streams here, let it collide.
#[gpu_kernel]
pub fn lattice_step(before: View<f64, 3>, tau: f64, after: ViewMut<f64, 3>) {
    let (x, y) = grid_2d();
    let [_, height, width] = before.shape();
    if x >= width || y >= height {
        return;
    }
    let mut own = [0.0; DIRECTIONS];
    for q in 0..DIRECTIONS {
        let (cx, cy): (i32, i32) = velocity(q);
        let from_x = (x as i32 - cx).rem_euclid(width as i32) as usize;
        let from_y = (y as i32 - cy).rem_euclid(height as i32) as usize;
        own[q] = before[[q, from_y, from_x]];
    }
    let (density, ux, uy): (f64, f64, f64) = moments(&own);
    for q in 0..DIRECTIONS {
        after[[q, y, x]] = own[q] - (own[q] - equilibrium(q, density, ux, uy)) / tau;
    }
}

/// The textbook's equilibrium for a density and a velocity, with the directions in a table.
fn textbook(density: f64, (ux, uy): (f64, f64)) -> [f64; 9] {
    let c = [(0, 0), (1, 0), (0, 1), (-1, 0), (0, -1), (1, 1), (-1, 1), (-1, -1), (1, -1)];
    std::array::from_fn(|q| {
        let w = [16.0, 4.0, 1.0][usize::from(c[q].0 != 0) + usize::from(c[q].1 != 0)] / 36.0;
        let cu = f64::from(c[q].0) * ux + f64::from(c[q].1) * uy;
        w * density * (1.0 + cu / (1.0 / 3.0) + cu * cu / (2.0 / 9.0) - (ux * ux + uy * uy) / (2.0 / 3.0))
    })
}

fn filled(width: usize, height: usize, flow: impl Fn(usize, usize) -> (f64, (f64, f64))) -> Vec<f64> {
    let mut fluid = vec![0.0; 9 * width * height];
    for at in 0..width * height {
        let (density, velocity) = flow(at % width, at / width);
        for (q, population) in textbook(density, velocity).into_iter().enumerate() {
            fluid[q * width * height + at] = population;
        }
    }
    fluid
}

fn stepped(bench: &Bench, fluid: &mut Vec<f64>, width: usize, height: usize, tau: f64) {
    use crate::bench::{view, view_mut};
    let shape = [9, height, width];
    let mut after = vec![f64::NAN; fluid.len()];
    let grid = (width.div_ceil(16) as u32, height.div_ceil(4) as u32);
    launch!(bench, lattice_step(view(fluid, shape), tau, view_mut(&mut after, shape)), grid, (16, 4));
    *fluid = after;
}

/// Collide, then scatter, in plain Rust: the other way round than the kernel, so that the two agree after the fluid has streamed.
fn a_fluid_steps_like_the_textbook(bench: &Bench) {
    let (width, height, tau) = (19, 10, 0.8);
    let places = width * height;
    let mut fluid =
        filled(width, height, |x, y| (1.0 + 0.01 * (x * 7 % 5) as f64, (0.05 - 0.01 * (y * 3 % 7) as f64, 0.002 * (x as f64 - y as f64))));
    let mut expected = fluid.clone();
    let totals = |fluid: &[f64]| -> f64 { fluid.iter().sum() };
    let mass = totals(&fluid);
    let c: [(isize, isize); 9] = [(0, 0), (1, 0), (0, 1), (-1, 0), (0, -1), (1, 1), (-1, 1), (-1, -1), (1, -1)];
    for _ in 0..3 {
        stepped(bench, &mut fluid, width, height, tau);
        let mut streamed = vec![0.0; expected.len()];
        for at in 0..places {
            for (q, (cx, cy)) in c.into_iter().enumerate() {
                let x = (at % width + width).wrapping_add_signed(cx) % width;
                let y = (at / width + height).wrapping_add_signed(cy) % height;
                streamed[q * places + y * width + x] = expected[q * places + at];
            }
        }
        for at in 0..places {
            let population = |q: usize| streamed[q * places + at];
            let density: f64 = (0..9).map(population).sum();
            let flow = |part: fn((isize, isize)) -> isize| (0..9).map(|q| population(q) * part(c[q]) as f64).sum::<f64>() / density;
            for (q, goal) in textbook(density, (flow(|c| c.0), flow(|c| c.1))).into_iter().enumerate() {
                expected[q * places + at] = (1.0 - 1.0 / tau) * population(q) + goal / tau;
            }
        }
    }
    for (i, (actual, expected)) in fluid.iter().zip(&expected).enumerate() {
        assert!((actual - expected).abs() < 1e-14, "population {i} is {actual}, not {expected}");
    }
    assert!((totals(&fluid) - mass).abs() < 1e-11, "mass is neither made nor lost");
}

/// Layers that slide past each other in a sine lose their speed by exp(-ν k² t), with ν = (τ - 1/2) / 3.
fn a_shear_wave_decays_with_the_viscosity(bench: &Bench) {
    let (width, height, tau, steps) = (3, 32, 0.9, 60);
    let places = width * height;
    let wave = 2.0 * PI / height as f64;
    let mut fluid = filled(width, height, |_, y| (1.0, (0.01 * (wave * y as f64).sin(), 0.0)));
    for _ in 0..steps {
        stepped(bench, &mut fluid, width, height, tau);
    }
    let viscosity = (tau - 0.5) / 3.0;
    let speed = 0.01 * (-viscosity * wave * wave * f64::from(steps)).exp();
    for y in 0..height {
        let at = y * width + 1;
        let population = |q: usize| fluid[q * places + at];
        let x = population(1) - population(3) + population(5) - population(6) - population(7) + population(8);
        assert!((x - speed * (wave * y as f64).sin()).abs() < 0.01 * speed, "layer {y} has {x} of {speed}");
    }
}
