//! An array function returns at most four components.

use gpu_runtime::prelude::*;

#[vectorize]
fn powers(x: f32) -> (f32, f32, f32, f32, f32) {
    (x, x * x, x * x * x, x.powi(4), x.powi(5))
}

fn main() -> gpu_runtime::Result<()> {
    println!("{:?}", powers::map(&[1.0]).to_vec()?);
    Ok(())
}
