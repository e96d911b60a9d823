//! A parameter `impl Shape` has no name that its CUDA C is found by.

use gpu_runtime::prelude::*;

#[gpu_device]
trait Shape {
    fn area(self) -> f32;
    fn scaled(&self, by: f32) -> Self;
}

#[gpu_device]
fn total(s: impl Shape) -> f32 {
    s.area()
}

fn main() {}
