//! What is folded is of one type.

use gpu_runtime::prelude::*;

#[reduce]
fn count(count: usize, x: f32) -> usize {
    if x > 0.0 { count + 1 } else { count }
}

fn main() -> gpu_runtime::Result<()> {
    println!("{:?}", count::map(0, &[1.0f32]).to_vec()?);
    Ok(())
}
