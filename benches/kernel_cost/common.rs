//! What the kernels of this crate share.

use gpu_runtime::prelude::*;
use std::sync::atomic::{AtomicU32, Ordering};

/// Threads of a block, and rows and columns of a tile.
const BLOCK: usize = 256;
const TILE: usize = 16;

/// A body of a simulation.
#[derive(Debug, Clone, Copy, DeviceType)]
#[repr(C)]
pub struct Body {
    x: f32,
    y: f32,
    z: f32,
    mass: f32,
}

/// What a particle does between two steps.
#[derive(Debug, Clone, Copy, DeviceType)]
#[repr(C)]
pub struct Particle {
    position: [f32; 3],
    velocity: [f32; 3],
    age: u32,
    alive: bool,
}

/// The cumulative distribution function of the normal distribution.
#[gpu_device]
pub fn normal_cdf(x: f32) -> f32 {
    let k = 1.0 / (1.0 + 0.2316419 * x.abs());
    let polynomial = k * (0.31938153 + k * (-0.35656378 + k * (1.7814779 + k * (-1.8212559 + k * 1.3302744))));
    let tail = 0.3989423 * (-0.5 * x * x).exp() * polynomial;
    if x > 0.0 { 1.0 - tail } else { tail }
}

/// One step of xorshift.
#[gpu_device]
pub fn next_random(state: u32) -> u32 {
    let mut x = state;
    x ^= x << 13;
    x ^= x >> 17;
    x ^= x << 5;
    x
}

/// The middle one of three values.
#[gpu_device]
pub fn median(a: f32, b: f32, c: f32) -> f32 {
    let (low, high) = if a < b { (a, b) } else { (b, a) };
    low.max(high.min(c))
}

/// Linear interpolation.
#[gpu_device]
pub fn mix<T: Float>(a: T, b: T, t: T) -> T {
    a + (b - a) * t
}
