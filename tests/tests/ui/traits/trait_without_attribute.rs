//! A bound that has no `#[gpu_device]`.

use gpu_runtime::prelude::*;

trait Plain: DeviceType {
    const SIDES: u32;
}

#[gpu_device]
fn sides<S: Plain>(_s: S) -> u32 {
    S::SIDES
}

fn main() {}
