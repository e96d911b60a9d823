//! An output without core axes is returned.

use gpu_runtime::prelude::*;

#[guvectorize("(n)->()")]
fn f(x: &[f32]) {
    let _y = x[0];
}

fn main() -> gpu_runtime::Result<()> {
    let y = f::map(&[1.0, 2.0]).to_vec()?;
    drop(y);
    Ok(())
}
