//! The identity is a constant.

use gpu_runtime::prelude::*;

fn zero() -> f32 {
    0.0
}

#[reduce(identity = zero())]
fn add(a: f32, b: f32) -> f32 {
    a + b
}

fn main() -> gpu_runtime::Result<()> {
    println!("{:?}", add::accumulate(&[1.0])?.to_host()?);
    Ok(())
}
