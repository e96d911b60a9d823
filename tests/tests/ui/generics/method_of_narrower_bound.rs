//! A method that the bound does not promise.

use gpu_runtime::prelude::*;

#[gpu_device]
fn root<T: Num>(x: T) -> T {
    x.sqrt()
}

fn main() {}
