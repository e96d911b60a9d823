//! An extent is a `usize`.

use gpu_runtime::prelude::*;

#[guvectorize("(m,n)->(m)")]
fn f(x: &[f32], out: &mut [f32], n: u32) {
    for i in 0..out.len() {
        out[i] = x[i * n as usize];
    }
}

fn main() -> gpu_runtime::Result<()> {
    let y = f::map(&[1.0, 2.0]).to_vec()?;
    println!("{y:?}");
    Ok(())
}
