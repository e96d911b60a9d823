//! An array function prints.

use gpu_runtime::prelude::*;

#[vectorize]
fn loud(x: f32) -> f32 {
    println!("{x}");
    x
}

fn main() -> gpu_runtime::Result<()> {
    loud::map(&[1.0f32]).to_vec()?;
    Ok(())
}
