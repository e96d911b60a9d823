//! An array has no place for `None`.

use gpu_runtime::prelude::*;

#[vectorize]
fn root(x: f32) -> Option<f32> {
    if x < 0.0 { None } else { Some(x.sqrt()) }
}

fn main() -> gpu_runtime::Result<()> {
    println!("{:?}", root::map(&[1.0]).to_vec()?);
    Ok(())
}
