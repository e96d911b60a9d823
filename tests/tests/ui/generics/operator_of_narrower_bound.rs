//! An operator that the bound does not promise.

use gpu_runtime::prelude::*;

#[gpu_device]
fn mirrored<T: Num>(x: T) -> T {
    -x
}

fn main() {}
