//! An enum with a type parameter.

use gpu_runtime::prelude::*;

#[derive(Clone, Copy, DeviceType)]
#[repr(C)]
enum Found<T> {
    No,
    Yes(T),
}

fn main() {}
