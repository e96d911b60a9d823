//! An array function takes elements.

use gpu_runtime::prelude::*;

#[vectorize]
fn first(x: &[f32]) -> f32 {
    x[0]
}

fn main() -> gpu_runtime::Result<()> {
    println!("{:?}", first::map(&[1.0]).to_vec()?);
    Ok(())
}
