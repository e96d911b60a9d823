//! A field of what a device function returns.

use gpu_runtime::prelude::*;

#[derive(Clone, Copy, DeviceType)]
#[repr(C)]
struct Point {
    x: f32,
    y: f32,
}

#[gpu_device]
fn moved(p: Point) -> Point {
    Point { x: p.x + 1.0, ..p }
}

#[gpu_kernel]
fn kernel(points: &[Point], out: &mut [f32]) {
    let i = grid_1d();
    if i < out.len() {
        out[i] = moved(points[i]).x;
    }
}

fn main() {}
