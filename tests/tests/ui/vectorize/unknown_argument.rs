//! The arguments of the attribute.

use gpu_runtime::prelude::*;

#[vectorize(target = "cuda")]
fn same(x: f32) -> f32 {
    x
}

fn main() -> gpu_runtime::Result<()> {
    println!("{:?}", same::map(&[1.0]).to_vec()?);
    Ok(())
}
