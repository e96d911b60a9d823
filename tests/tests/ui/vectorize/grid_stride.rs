//! An array function does not know which element it computes.

use gpu_runtime::prelude::*;

#[vectorize]
fn count(n: usize) -> usize {
    let mut count = 0;
    for _ in grid_stride(n) {
        count += 1;
    }
    count
}

fn main() -> gpu_runtime::Result<()> {
    println!("{:?}", count::map(&[1]).to_vec()?);
    Ok(())
}
