//! A shared array is no value.

use gpu_runtime::prelude::*;

#[gpu_kernel]
fn kernel(out: &mut [f32]) {
    let mut tile = shared::<[f32; 32]>();
    tile[thread_idx().x] = 1.0;
    sync_threads();
    for v in tile {
        out[0] += v;
    }
}

fn main() {}
