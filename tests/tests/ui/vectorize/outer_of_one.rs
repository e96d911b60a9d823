//! Only functions of two elements have an outer product.

use gpu_runtime::prelude::*;

#[vectorize]
fn square(x: f32) -> f32 {
    x * x
}

fn main() -> gpu_runtime::Result<()> {
    println!("{:?}", square::outer(&[1.0f32]).to_vec()?);
    Ok(())
}
