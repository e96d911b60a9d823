//! A slice has one axis.

use gpu_runtime::prelude::*;

#[gpu_kernel]
fn kernel(a: View<f32, 2>, out: ViewMut<f32, 2>) {
    let (j, i) = grid_2d();
    if i < out.shape()[0] && j < out.shape()[1] {
        out[[i, j]] = a[[i, j]];
    }
}

fn main() -> gpu_runtime::Result<()> {
    let device = Device::cpu();
    let (a, mut out) = (device.zeros::<f32>(4)?, device.zeros::<f32>([2, 2])?);
    kernel(a.slice(..), &mut out).launch((1, 1), (2, 2))
}
