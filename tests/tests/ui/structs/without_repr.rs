//! A struct whose layout is rustc's own.

use gpu_runtime::prelude::*;

#[derive(Clone, Copy, DeviceType)]
struct Point {
    x: f32,
    y: f32,
}

fn main() {}
