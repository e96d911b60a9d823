//! What PTX takes has a register, and one type.
//! errors: 2

use gpu_runtime::prelude::*;

#[gpu_device(unsafe(ptx = ".visible .func norm"))]
fn norm<T: Float>(x: View<f32, 2>, y: T) -> f32 {
    x[[0, 0]]
}

fn main() {}
