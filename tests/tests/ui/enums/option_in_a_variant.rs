//! A variant has no `Option`.

use gpu_runtime::prelude::*;

#[derive(Clone, Copy, DeviceType)]
#[repr(u8)]
enum Limit {
    None,
    Both([Option<f32>; 2]),
}

fn main() {}
