//! An attribute for functions.

use gpu_runtime::prelude::*;

#[guvectorize("(n)->()")]
struct Matrix {
    x: f32,
}

fn main() -> gpu_runtime::Result<()> {
    let _ = Matrix { x: 1.0 }.x;
    Ok(())
}
