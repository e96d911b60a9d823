//! A method that the bound does not have.
//! errors: 2

use gpu_runtime::prelude::*;

#[gpu_device]
trait Shape {
    fn area(self) -> f32;
    fn scaled(&self, by: f32) -> Self;
}

#[gpu_device]
fn total<S: Shape>(s: S) -> f32 {
    s.volume()
}

fn main() {}
