//! A method that the elements do not have.

use gpu_runtime::prelude::*;

fn main() -> gpu_runtime::Result<()> {
    let x = Device::cpu().zeros::<i32>(4)?;
    let _ = lazy(&x).sqrt();
    Ok(())
}
