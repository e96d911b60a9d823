//! Something must say how often the function is called.

use gpu_runtime::prelude::*;

#[guvectorize("->(4)")]
fn f(out: &mut [f32]) {
    out[0] = 1.0;
}

fn main() -> gpu_runtime::Result<()> {
    println!("{:?}", f::map().to_vec()?);
    Ok(())
}
