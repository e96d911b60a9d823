//! An array function returns a number or a tuple of numbers.

use gpu_runtime::prelude::*;

#[vectorize]
fn twice(x: f32) -> [f32; 2] {
    [x, x]
}

fn main() -> gpu_runtime::Result<()> {
    println!("{:?}", twice::map(&[1.0]).to_vec()?);
    Ok(())
}
