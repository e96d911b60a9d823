//! A `match` covers every variant with data.

use gpu_runtime::prelude::*;

#[derive(Clone, Copy, DeviceType)]
#[repr(C)]
enum Shape {
    Empty,
    Circle { radius: f32 },
    Box(f32, f32),
}

#[gpu_kernel]
fn kernel(shapes: &[Shape], out: &mut [f32]) {
    let i = grid_1d();
    if i < out.len() {
        out[i] = match shapes[i] {
            Shape::Empty => 0.0,
            Shape::Circle { radius } => radius,
        };
    }
}

fn main() {}
