//! A method that a number does not have.

use gpu_runtime::prelude::*;

#[gpu_device]
fn area(x: f32) -> f32 {
    x.area_of_circle()
}

fn main() {}
