//! A struct with a type parameter.

use gpu_runtime::prelude::*;

#[derive(Clone, Copy, DeviceType)]
#[repr(C)]
struct Point<T> {
    x: f32,
    y: T,
}

fn main() {}
