//! Functions of traits: each type's own, and the trait's for a type.

// The kernels are read, not launched.
#![allow(dead_code)]

use gpu_runtime::prelude::*;

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
