//! The type is not in scope.

use gpu_runtime::gpu_kernel;
use gpu_runtime::intrinsics::grid_1d;

#[gpu_kernel]
fn kernel(a: View<f32, 2>, out: &mut [f32]) {
    let i = grid_1d();
    if i < out.len() {
        out[i] = a[[0, i]];
    }
}

fn main() {}
