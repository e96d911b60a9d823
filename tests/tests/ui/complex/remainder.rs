use gpu_runtime::prelude::*;
use num_complex::Complex32;

#[gpu_kernel]
fn wrap(z: &mut [Complex32], by: Complex32) {
    let i = grid_1d();
    if i < z.len() {
        z[i] = z[i] % by;
    }
}

fn main() {}
