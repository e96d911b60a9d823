use gpu_runtime::prelude::*;
use num_complex::Complex32;

#[gpu_kernel]
fn order(z: &mut [Complex32], limit: Complex32) {
    let i = grid_1d();
    if i < z.len() && z[i] < limit {
        z[i] = limit;
    }
}

fn main() {}
