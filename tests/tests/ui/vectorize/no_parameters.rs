//! An array function takes an element.

use gpu_runtime::prelude::*;

#[vectorize]
fn one() -> f32 {
    1.0
}

fn main() -> gpu_runtime::Result<()> {
    println!("{:?}", one::map().to_vec()?);
    Ok(())
}
