//! Elements are of the parameter's type.

use gpu_runtime::prelude::*;

#[guvectorize("(n)->()")]
fn f(x: &[f32]) -> f32 {
    x[0]
}

fn main() -> gpu_runtime::Result<()> {
    let x: Vec<f64> = vec![1.0, 2.0];
    let y = f::map(&x).to_vec()?;
    println!("{y:?}");
    Ok(())
}
