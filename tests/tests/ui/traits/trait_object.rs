//! A trait object has no type that CUDA C is compiled for.

use gpu_runtime::prelude::*;

trait Shape {
    fn area(&self) -> f32;
}

#[gpu_device]
fn total(s: &dyn Shape) -> f32 {
    s.area()
}

fn main() {}
