//! Fields of a variant are device types.

use gpu_runtime::prelude::*;

#[derive(Clone, Copy, DeviceType)]
#[repr(u8)]
enum Text {
    None,
    Some(&'static str),
}

fn main() {}
