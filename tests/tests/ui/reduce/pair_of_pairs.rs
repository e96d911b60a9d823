//! The components of two pairs, and not two pairs.
//!
//! errors: 2

use gpu_runtime::prelude::*;

#[reduce]
fn larger(a: (f32, u32), b: (f32, u32)) -> (f32, u32) {
    if a.0 > b.0 { a } else { b }
}

fn main() -> gpu_runtime::Result<()> {
    println!("{:?}", larger((1.0, 2), (3.0, 4)));
    Ok(())
}
