//! A parameter that device functions do not have.

use gpu_runtime::prelude::*;

#[gpu_device]
trait Shape {
    fn join(self, others: Vec<f32>) -> f32;
}

fn main() {}
