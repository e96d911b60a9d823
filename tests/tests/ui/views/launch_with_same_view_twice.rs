//! One array is read and written.

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
    let mut a = device.zeros::<f32>([2, 2])?;
    kernel(a.view().t(), a.view_mut()).launch((1, 1), (2, 2))
}
