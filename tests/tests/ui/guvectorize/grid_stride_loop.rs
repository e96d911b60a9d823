//! A function of core arrays does not know its grid.

use gpu_runtime::prelude::*;

#[guvectorize("(n)->(n)")]
fn f(x: &[f32], out: &mut [f32]) {
    for i in grid_stride(out.len()) {
        out[i] = x[i];
    }
}

fn main() -> gpu_runtime::Result<()> {
    let y = f::map(&[1.0, 2.0]).to_vec()?;
    println!("{y:?}");
    Ok(())
}
