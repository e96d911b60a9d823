//! An array function does not know which element it computes.

use gpu_runtime::prelude::*;

#[vectorize]
fn ramp(x: f32) -> f32 {
    x + grid_1d() as f32
}

fn main() -> gpu_runtime::Result<()> {
    println!("{:?}", ramp::map(&[1.0]).to_vec()?);
    Ok(())
}
