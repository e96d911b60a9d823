//! The core arrays of a generalised function are slices.

use gpu_runtime::prelude::*;

#[guvectorize("(n)->()")]
fn total(a: View<f32, 1>) -> f32 {
    a[[0]]
}

fn main() {}
