//! An enum.

use gpu_runtime::prelude::*;

#[derive(Clone, Copy, DeviceType)]
#[repr(C)]
enum Side {
    Left,
    Right,
}

fn main() {}
