//! The elements have the type of the parameter.

use gpu_runtime::prelude::*;

#[vectorize]
fn square(x: f32) -> f32 {
    x * x
}

fn main() -> gpu_runtime::Result<()> {
    let x = Device::cpu().to_device(&[1i32])?;
    println!("{:?}", square::map(&x).to_vec()?);
    Ok(())
}
