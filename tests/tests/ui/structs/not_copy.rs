//! A struct that is moved.

use gpu_runtime::prelude::*;

#[derive(Clone, DeviceType)]
#[repr(C)]
struct Point {
    x: f32,
    y: f32,
}

fn main() {}
