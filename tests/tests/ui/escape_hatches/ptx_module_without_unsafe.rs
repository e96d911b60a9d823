//! Nobody checks what PTX does.

use gpu_runtime::prelude::*;

#[gpu_device(ptx = include_str!("norm.ptx"))]
fn norm(x: f32) -> f32 {
    x
}

fn main() {}
