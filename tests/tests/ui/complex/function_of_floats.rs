use gpu_runtime::prelude::*;
use num_complex::Complex32;

#[gpu_kernel]
fn sine(z: &mut [Complex32]) {
    let i = grid_1d();
    if i < z.len() {
        z[i] = z[i].tanh();
    }
}

fn main() {}
