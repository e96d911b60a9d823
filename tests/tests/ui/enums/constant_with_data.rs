//! A value with data is written out in the kernel.

use gpu_runtime::prelude::*;

#[derive(Clone, Copy, DeviceType)]
#[repr(C)]
enum Shape {
    Empty,
    Circle { radius: f32 },
    Box(f32, f32),
}

const UNIT: Shape = Shape::Circle { radius: 1.0 };

#[gpu_kernel]
fn kernel(out: &mut [Shape]) {
    let i = grid_1d();
    if i < out.len() {
        out[i] = UNIT;
    }
}

fn main() {}
