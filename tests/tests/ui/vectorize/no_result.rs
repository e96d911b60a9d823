//! An array function returns an element.

use gpu_runtime::prelude::*;

#[vectorize]
fn nothing(x: f32) {
    assert!(x > 0.0);
}

fn main() -> gpu_runtime::Result<()> {
    println!("{:?}", nothing::map(&[1.0]).to_vec()?);
    Ok(())
}
