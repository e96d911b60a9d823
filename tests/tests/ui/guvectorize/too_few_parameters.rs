//! A parameter for each operand.

use gpu_runtime::prelude::*;

#[guvectorize("(m,n),(n)->(m)")]
fn f(x: &[f32], out: &mut [f32]) {
    for i in 0..out.len() {
        out[i] = x[i];
    }
}

fn main() -> gpu_runtime::Result<()> {
    println!("{:?}", f::map(&[1.0], &[1.0]).to_vec()?);
    Ok(())
}
