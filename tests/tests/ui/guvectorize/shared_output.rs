//! An output is written.

use gpu_runtime::prelude::*;

#[guvectorize("(n)->(n)")]
fn f(x: &[f32], out: &[f32]) {
    let _sum = x[0] + out[0];
}

fn main() -> gpu_runtime::Result<()> {
    let y = f::map(&[1.0, 2.0]).to_vec()?;
    println!("{y:?}");
    Ok(())
}
