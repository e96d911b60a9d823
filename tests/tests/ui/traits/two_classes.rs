//! Two bounds of numbers beside one of the user.

use gpu_runtime::prelude::*;

#[gpu_device]
trait Shape {
    fn area(self) -> f32;
    fn scaled(&self, by: f32) -> Self;
}

#[gpu_device]
fn twice<T: Shape + Num + Float>(x: T) -> T {
    x + x
}

fn main() {}
