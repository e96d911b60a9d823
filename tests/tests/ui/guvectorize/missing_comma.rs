//! Arguments are separated by commas.

use gpu_runtime::prelude::*;

#[guvectorize("(n)->()" fmad = false)]
fn f(x: &[f32]) -> f32 {
    x[0]
}

fn main() -> gpu_runtime::Result<()> {
    let y = f::map(&[1.0, 2.0]).to_vec()?;
    println!("{y:?}");
    Ok(())
}
