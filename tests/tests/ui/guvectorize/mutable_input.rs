//! An input is only read.

use gpu_runtime::prelude::*;

#[guvectorize("(n)->()")]
fn f(x: &mut [f32]) -> f32 {
    x[0] = 1.0;
    x[0]
}

fn main() -> gpu_runtime::Result<()> {
    let y = f::map(&[1.0, 2.0]).to_vec()?;
    println!("{y:?}");
    Ok(())
}
