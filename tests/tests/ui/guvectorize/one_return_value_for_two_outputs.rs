//! Two outputs without core axes are a tuple.

use gpu_runtime::prelude::*;

#[guvectorize("(n)->(),()")]
fn f(x: &[f32]) -> f32 {
    x[0]
}

fn main() -> gpu_runtime::Result<()> {
    let _ = f::map(&[1.0]);
    Ok(())
}
