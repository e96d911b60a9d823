//! An `impl` with type parameters.

use gpu_runtime::prelude::*;

#[gpu_device]
trait Doubled {
    fn doubled(self) -> Self;
}

#[gpu_device]
impl<T: Float> Doubled for T {
    fn doubled(self) -> Self {
        self + self
    }
}

fn main() {}
