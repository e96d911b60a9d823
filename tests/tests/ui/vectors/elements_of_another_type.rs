//! Numbers are seen as vectors of the same numbers.

use gpu_runtime::prelude::*;
use gpu_runtime::vector::Float4;

fn main() -> gpu_runtime::Result<()> {
    let x = Device::cpu().zeros::<f64>(8)?;
    x.as_vectors::<Float4>()?;
    Ok(())
}
