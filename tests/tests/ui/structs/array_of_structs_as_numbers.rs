//! An array function is mapped over structs.
//! errors: 1

use gpu_runtime::prelude::*;

#[derive(Clone, Copy, DeviceType)]
#[repr(C)]
struct Point {
    x: f32,
    y: f32,
}

#[vectorize]
fn twice(x: f32) -> f32 {
    x * 2.0
}

fn doubled(points: &DeviceArray<Point>) {
    let _ = twice::map(points).collect();
}

fn main() {}
