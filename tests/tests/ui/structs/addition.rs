//! A struct with an operator.

use gpu_runtime::prelude::*;

#[derive(Clone, Copy, DeviceType)]
#[repr(C)]
struct Point {
    x: f32,
    y: f32,
}

impl std::ops::Add for Point {
    type Output = Point;
    fn add(self, other: Point) -> Point {
        Point { x: self.x + other.x, y: self.y + other.y }
    }
}

#[gpu_kernel]
fn kernel(points: &[Point], out: &mut [f32]) {
    let i = grid_1d();
    if i < out.len() {
        let sum = points[i] + points[0];
        out[i] = sum.x;
    }
}

fn main() {}
