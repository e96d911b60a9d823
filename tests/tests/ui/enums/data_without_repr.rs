//! How an enum with data lies in memory is written above it.

use gpu_runtime::prelude::*;

#[derive(Clone, Copy, DeviceType)]
enum Shape {
    Empty,
    Circle { radius: f32 },
    Box(f32, f32),
}

fn main() {}
