//! What a loop runs over by reference does not change.

use gpu_runtime::prelude::*;

#[gpu_kernel]
fn kernel(out: &mut [f32]) {
    let mut a = [1.0, 2.0];
    for v in &a {
        a[0] += v;
    }
    out[0] = a[0];
}

fn main() {}
