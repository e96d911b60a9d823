//! A bound of std, whose functions have no CUDA C.

use gpu_runtime::prelude::*;

#[gpu_device]
trait Shape {
    fn area(self) -> f32;
    fn scaled(&self, by: f32) -> Self;
}

#[gpu_device]
fn larger<S: Shape + PartialOrd>(a: S, b: S) -> S {
    if a < b { b } else { a }
}

fn main() {}
