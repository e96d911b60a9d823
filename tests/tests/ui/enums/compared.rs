//! Enums with data are matched, not compared.

use gpu_runtime::prelude::*;

#[derive(Clone, Copy, PartialEq, DeviceType)]
#[repr(C)]
enum Shape {
    Empty,
    Circle { radius: f32 },
    Box(f32, f32),
}

#[gpu_kernel]
fn kernel(shapes: &[Shape], out: &mut [f32]) {
    let i = grid_1d();
    if i < out.len() && shapes[i] == Shape::Empty {
        out[i] = 1.0;
    }
}

fn main() {}
