//! Only a reduction has an identity.

use gpu_runtime::prelude::*;

#[vectorize(identity = 0.0)]
fn add(a: f32, b: f32) -> f32 {
    a + b
}

fn main() -> gpu_runtime::Result<()> {
    println!("{:?}", add::map(&[1.0], 2.0).to_vec()?);
    Ok(())
}
