//! A pattern names fields of the struct.

use gpu_runtime::prelude::*;

#[derive(Clone, Copy, DeviceType)]
#[repr(C)]
struct Point {
    x: f32,
    y: f32,
}

#[gpu_kernel]
fn kernel(points: &[Point], out: &mut [f32]) {
    let i = grid_1d();
    if i < out.len() {
        let Point { x, z, .. } = points[i];
        out[i] = x + z;
    }
}

fn main() {}
