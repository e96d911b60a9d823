//! Elements do not wait for each other, in whichever block.

use gpu_runtime::prelude::*;

#[vectorize]
fn wait(x: f32) -> f32 {
    sync_grid();
    x
}

fn main() -> gpu_runtime::Result<()> {
    println!("{:?}", wait::map(&[1.0]).to_vec()?);
    Ok(())
}
