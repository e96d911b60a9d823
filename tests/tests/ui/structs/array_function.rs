//! An array function of structs.

use gpu_runtime::prelude::*;

#[derive(Clone, Copy, DeviceType)]
#[repr(C)]
struct Point {
    x: f32,
    y: f32,
}

#[vectorize]
fn norm(p: Point) -> f32 {
    p.x * p.x + p.y * p.y
}

fn main() {}
