//! There are no 16 bits to sum many numbers in.

use gpu_runtime::prelude::*;
use half::f16;

fn main() -> gpu_runtime::Result<()> {
    let x = Device::cpu().zeros::<f16>(1000)?;
    let total = lazy(&x).sum()?;
    println!("{total}");
    Ok(())
}
