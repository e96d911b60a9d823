//! A struct whose fields are not aligned.

use gpu_runtime::prelude::*;

#[derive(Clone, Copy, DeviceType)]
#[repr(C, packed)]
struct Point {
    x: f32,
    y: f32,
}

fn main() {}
