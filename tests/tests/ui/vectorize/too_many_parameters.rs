//! An array function takes at most eight elements.

use gpu_runtime::prelude::*;

#[vectorize]
fn sum(a: f32, b: f32, c: f32, d: f32, e: f32, f: f32, g: f32, h: f32, i: f32) -> f32 {
    a + b + c + d + e + f + g + h + i
}

fn main() -> gpu_runtime::Result<()> {
    println!("{:?}", sum::map(1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0).to_vec()?);
    Ok(())
}
