//! A reduction takes two elements.

use gpu_runtime::prelude::*;

#[reduce(identity = 0.0)]
fn square(x: f32) -> f32 {
    x * x
}

fn main() -> gpu_runtime::Result<()> {
    println!("{:?}", square::map(&[1.0f32]).to_vec()?);
    Ok(())
}
