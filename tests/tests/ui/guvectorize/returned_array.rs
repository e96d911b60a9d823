//! An output with core axes is a parameter.

use gpu_runtime::prelude::*;

#[guvectorize("(n)->(n)")]
fn f(x: &[f32], out: &mut [f32]) -> f32 {
    out[0] = x[0];
    x[0]
}

fn main() -> gpu_runtime::Result<()> {
    let _ = f::map(&[1.0]);
    Ok(())
}
