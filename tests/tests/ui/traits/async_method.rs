//! A method of a trait in which threads wait.

use gpu_runtime::prelude::*;

#[gpu_device]
trait Shape {
    async fn area(self) -> f32;
}

fn main() {}
