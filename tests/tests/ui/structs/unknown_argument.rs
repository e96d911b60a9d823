//! An argument that the derive does not have.

use gpu_runtime::prelude::*;

#[derive(Clone, Copy, DeviceType)]
#[repr(C)]
#[device_type(name = "p")]
struct Point {
    x: f32,
    y: f32,
}

fn main() {}
