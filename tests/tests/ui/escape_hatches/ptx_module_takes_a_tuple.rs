//! What PTX takes has a register, and one type.
//! errors: 2

use gpu_runtime::prelude::*;

#[gpu_device(unsafe(ptx = ".visible .func norm"))]
fn norm<T: Float>(x: (f32, f32), y: T) -> f32 {
    x.0
}

fn main() {}
