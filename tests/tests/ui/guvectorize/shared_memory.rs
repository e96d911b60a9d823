//! Calls have nothing to share.

use gpu_runtime::prelude::*;

#[guvectorize("(n)->()")]
fn f(x: &[f32]) -> f32 {
    let mut tile = shared::<[f32; 4]>();
    tile[0] = x[0];
    tile[0]
}

fn main() -> gpu_runtime::Result<()> {
    let y = f::map(&[1.0, 2.0]).to_vec()?;
    println!("{y:?}");
    Ok(())
}
