//! A function of a block, called in a closure.

use gpu_runtime::prelude::*;

#[gpu_device]
async fn next(tile: &mut [u32], value: u32) -> u32 {
    let t = thread_idx().x;
    tile[t] = value;
    sync_threads();
    tile[(t + 1) % 32]
}

#[gpu_kernel(block = 32)]
fn kernel(x: &[u32], out: &mut [u32]) {
    let mut tile = shared::<[u32; 32]>();
    let i = grid_1d();
    let of = |value: u32| next(&mut tile, value).await;
    out[i] = of(x[i]);
}

fn main() {}
