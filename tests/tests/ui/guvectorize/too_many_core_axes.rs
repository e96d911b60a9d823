//! An array has at most seven axes.

use gpu_runtime::prelude::*;

#[guvectorize("(a,b,c,d,e,f,g,h)->()")]
fn f(x: &[f32]) -> f32 {
    x[0]
}

fn main() -> gpu_runtime::Result<()> {
    let y = f::map(&[1.0, 2.0]).to_vec()?;
    println!("{y:?}");
    Ok(())
}
