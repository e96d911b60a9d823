//! A lazy array that nobody asks for computes nothing.

#![deny(unused_must_use)]

use gpu_runtime::prelude::*;

#[vectorize]
fn square(x: f32) -> f32 {
    x * x
}

fn main() -> gpu_runtime::Result<()> {
    square::map(&[1.0f32]);
    Ok(())
}
