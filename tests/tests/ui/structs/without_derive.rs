//! A struct that does not say what it is on a device.
//! errors: 3

use gpu_runtime::prelude::*;

#[derive(Clone, Copy)]
#[repr(C)]
struct Point {
    x: f32,
    y: f32,
}

fn main() -> gpu_runtime::Result<()> {
    let points = [Point { x: 1.0, y: 2.0 }];
    assert!(points[0].x < points[0].y);
    Device::cpu().to_device(&points).map(drop)
}
