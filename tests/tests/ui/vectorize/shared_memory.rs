//! Elements share nothing.

use gpu_runtime::prelude::*;

#[vectorize]
fn share(x: f32) -> f32 {
    let mut tile = shared::<[f32; 32]>();
    tile[0] = x;
    tile[0]
}

fn main() -> gpu_runtime::Result<()> {
    println!("{:?}", share::map(&[1.0]).to_vec()?);
    Ok(())
}
