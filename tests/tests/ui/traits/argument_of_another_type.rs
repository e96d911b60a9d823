//! An argument of a trait's method that has another type.

use gpu_runtime::prelude::*;

#[gpu_device]
trait Shape {
    fn area(self) -> f32;
    fn scaled(&self, by: f32) -> Self;
}

#[gpu_device]
fn twice<S: Shape>(s: S, by: i32) -> S {
    s.scaled(by)
}

fn main() {}
