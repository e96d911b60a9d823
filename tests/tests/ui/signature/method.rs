//! A kernel cannot have a `self` parameter.

use gpu_runtime::prelude::*;

struct Model;

impl Model {
    #[gpu_kernel]
    fn kernel(&self, out: &mut [f32]) {
        out[grid_1d()] = 1.0;
    }
}

fn main() {
    let _ = Model;
}
