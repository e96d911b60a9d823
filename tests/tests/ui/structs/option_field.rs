//! A struct has no `Option`.

use gpu_runtime::prelude::*;

#[derive(Clone, Copy, DeviceType)]
#[repr(C)]
struct Limit {
    low: Option<f32>,
}

fn main() {}
