//! A function of core arrays does not know its thread.

use gpu_runtime::prelude::*;

#[guvectorize("(n)->()")]
fn f(x: &[f32]) -> f32 {
    x[grid_1d()]
}

fn main() -> gpu_runtime::Result<()> {
    let y = f::map(&[1.0, 2.0]).to_vec()?;
    println!("{y:?}");
    Ok(())
}
