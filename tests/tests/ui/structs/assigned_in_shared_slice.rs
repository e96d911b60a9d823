//! A field of an element of a `&[T]` is assigned.

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
        points[i].x = 1.0;
        out[i] = 1.0;
    }
}

fn main() {}
