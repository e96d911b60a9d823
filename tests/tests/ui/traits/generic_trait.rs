//! A trait with type parameters.

use gpu_runtime::prelude::*;

#[gpu_device]
trait Integrand<T: Float> {
    fn at(self, x: T) -> T;
}

fn main() {}
