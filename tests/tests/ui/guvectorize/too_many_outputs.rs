//! Results are at most four arrays.

use gpu_runtime::prelude::*;

#[guvectorize("()->(),(),(),(),()")]
fn f(x: f32) -> (f32, f32, f32, f32, f32) {
    (x, x, x, x, x)
}

fn main() -> gpu_runtime::Result<()> {
    let _ = f::map(1.0);
    Ok(())
}
