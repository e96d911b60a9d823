//! A parenthesis is missing.

use gpu_runtime::prelude::*;

#[guvectorize("(m,n,(n)->(m)")]
fn f(a: &[f32], x: &[f32], out: &mut [f32]) {
    out[0] = a[0] * x[0];
}

fn main() -> gpu_runtime::Result<()> {
    println!("{:?}", f::map(&[1.0], &[1.0]).to_vec()?);
    Ok(())
}
