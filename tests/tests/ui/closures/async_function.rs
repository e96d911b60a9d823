//! A function of a block in place of a function.
//! errors: 2
use gpu_runtime::prelude::*;

#[gpu_device]
async fn waiting(x: f32) -> f32 {
    sync_threads();
    x
}

#[gpu_device]
fn twice(f: impl Fn(f32) -> f32, x: f32) -> f32 {
    f(x) + f(x)
}

#[gpu_kernel]
fn kernel(x: &[f32], out: &mut [f32]) {
    let i = grid_1d();
    out[i] = twice(waiting, x[i]);
}

fn main() {}
