//! An array function takes elements.

use gpu_runtime::prelude::*;

#[vectorize]
fn first(x: Vec<f32>, y: f32) -> f32 {
    y
}

fn main() -> gpu_runtime::Result<()> {
    println!("{:?}", first::map(&[1.0], 2.0).to_vec()?);
    Ok(())
}
