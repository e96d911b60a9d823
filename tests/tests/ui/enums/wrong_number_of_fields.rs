//! A pattern has as many fields as the variant.

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
            Shape::Box(width) => width,
            _ => 0.0,
        };
    }
}

fn main() {}
