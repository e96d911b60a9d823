//! The arguments of the attribute.

use gpu_runtime::prelude::*;

#[reduce(initial = 0.0)]
fn add(a: f32, b: f32) -> f32 {
    a + b
}

fn main() -> gpu_runtime::Result<()> {
    println!("{:?}", add::accumulate(&[1.0])?.to_host()?);
    Ok(())
}
