//! A float times an array of integers.

use gpu_runtime::prelude::*;

fn main() -> gpu_runtime::Result<()> {
    let x = Device::cpu().zeros::<i32>(4)?;
    let _ = lazy(&x) * 2.5;
    Ok(())
}
