//! Arguments that disagree on the type.

use gpu_runtime::prelude::*;

#[gpu_kernel]
fn axpy<T: Float>(a: T, x: &[T], y: &mut [T]) {
    let i = grid_1d();
    if i < y.len() {
        y[i] += a * x[i];
    }
}

fn main() -> gpu_runtime::Result<()> {
    let x = Device::cpu().zeros::<f32>(8)?;
    let mut y = Device::cpu().zeros::<f64>(8)?;
    axpy(1.0, &x, &mut y).forall(8)
}
