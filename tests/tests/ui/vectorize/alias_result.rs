//! A result is a number by its own name.

use gpu_runtime::prelude::*;

type Real = f32;

#[vectorize]
fn half(x: f32) -> Real {
    x / 2.0
}

fn main() -> gpu_runtime::Result<()> {
    println!("{:?}", half::map(&[1.0]).to_vec()?);
    Ok(())
}
