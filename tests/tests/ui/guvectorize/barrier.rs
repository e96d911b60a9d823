//! Calls have nothing to wait for.

use gpu_runtime::prelude::*;

#[guvectorize("(n)->()")]
fn f(x: &[f32]) -> f32 {
    sync_threads();
    x[0]
}

fn main() -> gpu_runtime::Result<()> {
    let y = f::map(&[1.0, 2.0]).to_vec()?;
    println!("{y:?}");
    Ok(())
}
