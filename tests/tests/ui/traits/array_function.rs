//! An array function is generic over numbers.

use gpu_runtime::prelude::*;

#[gpu_device]
trait Shape {
    fn area(self) -> f32;
    fn scaled(&self, by: f32) -> Self;
}

#[vectorize]
fn area<S: Shape>(x: S) -> f32 {
    x.area()
}

fn main() {}
