//! The signature is not optional.

use gpu_runtime::prelude::*;

#[guvectorize]
fn f(x: &[f32], out: &mut [f32]) {
    for i in 0..out.len() {
        out[i] = x[i];
    }
}

fn main() -> gpu_runtime::Result<()> {
    let y = f::map(&[1.0, 2.0]).to_vec()?;
    println!("{y:?}");
    Ok(())
}
