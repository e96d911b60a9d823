//! Arrays of two element types in one operation.

use gpu_runtime::prelude::*;

fn main() -> gpu_runtime::Result<()> {
    let device = Device::cpu();
    let (x, y) = (device.zeros::<f32>(4)?, device.zeros::<f64>(4)?);
    let _ = &x + &y;
    Ok(())
}
