//! A struct that borrows from the host.

use gpu_runtime::prelude::*;

#[derive(Clone, Copy, DeviceType)]
#[repr(C)]
struct Named<'a> {
    name: &'a u8,
    x: f32,
}

fn main() {}
