//! Functions of traits: each type's own, and the trait's for a type.

// The kernels are read, not launched.
#![allow(dead_code)]

use gpu_runtime::prelude::*;
use std::sync::atomic::{AtomicU32, Ordering::AcqRel, Ordering::Relaxed};

#[gpu_device]
pub(crate) trait Shape {
    const SIDES: u32;

    fn area(self) -> f32;

    fn scaled(&self, by: f32) -> Self;

    fn doubled_area(self) -> f32 {
        self.scaled(2.0).area() + Self::SIDES as f32
    }
}

#[derive(Clone, Copy, DeviceType)]
#[repr(C)]
pub(crate) struct Square {
    side: f32,
}

#[gpu_device]
impl Shape for Square {
    const SIDES: u32 = 4;

    fn area(self) -> f32 {
        self.side * self.side
    }

    fn scaled(&self, by: f32) -> Self {
        Square { side: self.side * by }
    }
}

/// A circle of this radius.
#[gpu_device]
impl Shape for f32 {
    const SIDES: u32 = 0;

    fn area(self) -> f32 {
        3.0 * self * self
    }

    fn scaled(&self, by: f32) -> f32 {
        self * by
    }

    fn doubled_area(self) -> f32 {
        12.0 * self * self
    }
}

#[gpu_device]
fn weighed<S: Shape + DeviceType, const N: usize>(shapes: [S; N], weight: f32) -> f32 {
    let mut sum = 0.0;
    for i in 0..N {
        sum += S::area(shapes[i]) * weight + shapes[i].doubled_area();
    }
    sum
}

#[gpu_kernel]
pub(crate) fn traits(squares: &[Square], radii: &[f32], out: &mut [f32]) {
    let i = grid_1d();
    if i < out.len() {
        out[i] = weighed([squares[i]; 2], 0.5) + weighed([radii[i], 1.0], 0.25) + Shape::area(squares[i].scaled(3.0));
    }
}

#[gpu_device]
trait Count {
    fn total(&self, x: &[f32], seen: &AtomicU32) -> f32;

    fn weight(&self) -> f32;
}

/// Read once: the number may be in shared memory, where another thread changes it between the check and the loop.
#[gpu_device]
impl Count for usize {
    fn total(&self, x: &[f32], seen: &AtomicU32) -> f32 {
        let mut sum = 0.0;
        for k in 0..*self {
            seen.fetch_add(1, AcqRel);
            sum += x[k];
        }
        sum
    }

    fn weight(&self) -> f32 {
        match *self {
            n @ 0..=3 => WEIGHTS[n],
            _ => 0.0,
        }
    }
}

const WEIGHTS: [f32; 4] = [0.5, 1.0, 2.0, 4.0];

/// So is what is compared with a pattern, and then used.
#[gpu_device]
fn weight_of(pair: &(usize, f32)) -> f32 {
    match *pair {
        (n @ 0..=3, scale) => WEIGHTS[n] * scale,
        _ => 0.0,
    }
}

#[gpu_device]
fn halved(n: &usize, more: u32) -> usize {
    *n / 2 + more as usize
}

#[gpu_kernel]
pub(crate) fn numbers_behind_references(x: &[f32], seen: &[AtomicU32], out: &mut [f32]) {
    let mut counts = shared::<[usize; 32]>();
    let mut pairs = shared::<[(usize, f32); 32]>();
    let t = thread_idx().x % 32;
    counts[t] = x.len();
    pairs[t] = (t, 0.5);
    let half = halved(&counts[0], seen[0].fetch_add(1, Relaxed));
    out[t] = Count::total(&counts[0], x, &seen[0]) + Count::weight(&counts[1]) + weight_of(&pairs[0]) + half as f32;
}
