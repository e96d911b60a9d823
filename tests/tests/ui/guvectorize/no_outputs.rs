//! A function without results.

use gpu_runtime::prelude::*;

#[guvectorize("(n)->")]
fn f(x: &[f32]) {
    let _y = x[0];
}

fn main() -> gpu_runtime::Result<()> {
    let _ = f::map(&[1.0]);
    Ok(())
}
