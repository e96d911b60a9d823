//! An input with core axes is a slice.

use gpu_runtime::prelude::*;

#[guvectorize("(n),(n)->(n)")]
fn f(x: &[f32], factor: f32, out: &mut [f32]) {
    for i in 0..out.len() {
        out[i] = x[i] * factor;
    }
}

fn main() -> gpu_runtime::Result<()> {
    println!("{:?}", f::map(&[1.0], &[2.0]).to_vec()?);
    Ok(())
}
