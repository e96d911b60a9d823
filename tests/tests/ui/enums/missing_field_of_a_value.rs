//! A value has every field.

use gpu_runtime::prelude::*;

#[derive(Clone, Copy, DeviceType)]
#[repr(C)]
enum Shape {
    Empty,
    Circle { radius: f32 },
    Box(f32, f32),
}

#[gpu_kernel]
fn kernel(out: &mut [Shape]) {
    let i = grid_1d();
    if i < out.len() {
        out[i] = Shape::Circle {};
    }
}

fn main() {}
