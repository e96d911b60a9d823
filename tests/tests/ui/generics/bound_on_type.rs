//! A bound on something else than a type parameter.

use gpu_runtime::prelude::*;

#[gpu_device]
fn twice<T: Num>(x: T) -> T
where
    f32: Float,
{
    x + x
}

fn main() {}
