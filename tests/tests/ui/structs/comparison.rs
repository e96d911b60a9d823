//! Structs are compared.

use gpu_runtime::prelude::*;

#[derive(Clone, Copy, PartialEq, DeviceType)]
#[repr(C)]
struct Point {
    x: f32,
    y: f32,
}

#[gpu_kernel]
fn kernel(points: &[Point], out: &mut [f32]) {
    let i = grid_1d();
    if i < out.len() {
        if points[i] == points[0] {
            out[i] = 1.0;
        }
    }
}

fn main() {}
