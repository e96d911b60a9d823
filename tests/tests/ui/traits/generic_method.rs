//! A method of a trait with type parameters.

use gpu_runtime::prelude::*;

#[gpu_device]
trait Shape {
    fn scaled<T: Float>(self, by: T) -> Self;
}

fn main() {}
