//! One variant is 0.

use gpu_runtime::prelude::*;

#[derive(Clone, Copy, DeviceType)]
#[repr(u8)]
enum Shape {
    Empty = 1,
    Circle { radius: f32 },
    Box(f32, f32),
}

fn main() {}
