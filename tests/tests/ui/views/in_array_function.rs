//! An array function has elements.

use gpu_runtime::prelude::*;

#[vectorize]
fn total(a: View<f32, 2>) -> f32 {
    a[[0, 0]]
}

fn main() {}
