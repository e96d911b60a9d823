//! An `impl` of such a trait that has no `#[gpu_device]`.

use gpu_runtime::prelude::*;

#[gpu_device]
trait Shape: DeviceType {
    const SIDES: u32;
}

impl Shape for f32 {
    const SIDES: u32 = 0;
}

fn main() {}
