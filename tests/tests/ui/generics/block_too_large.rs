//! An instance whose block has more threads than it may have.

use gpu_runtime::prelude::*;

#[gpu_kernel(block = N, launch_bounds = 128)]
fn kernel<const N: usize>(out: &mut [usize]) {
    let i = grid_1d();
    if i < out.len() {
        out[i] = N;
    }
}

fn launch(out: &mut DeviceArray<usize, 1>) {
    let _ = kernel::<256>(out).launch(1, 256);
}

fn main() {}
