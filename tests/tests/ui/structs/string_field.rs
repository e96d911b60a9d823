//! A field that is on the heap.
//! errors: 2

use gpu_runtime::prelude::*;

#[derive(Clone, Copy, DeviceType)]
#[repr(C)]
struct Point {
    x: f32,
    y: String,
}

fn main() {}
