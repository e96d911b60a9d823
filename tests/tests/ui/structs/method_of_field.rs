//! A method that the type of the field does not have.

use gpu_runtime::prelude::*;

#[derive(Clone, Copy, DeviceType)]
#[repr(C)]
struct Point {
    x: f32,
    y: i32,
}

#[gpu_kernel]
fn kernel(points: &[Point], out: &mut [f32]) {
    let i = grid_1d();
    if i < out.len() {
        out[i] = points[i].y.sqrt();
    }
}

fn main() {}
