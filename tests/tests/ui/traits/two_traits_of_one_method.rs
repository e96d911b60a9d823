//! Two bounds with a method of one name.
//! errors: 2

use gpu_runtime::prelude::*;

#[gpu_device]
trait Shape {
    fn size(self) -> f32;
}

#[gpu_device]
trait Weighed {
    fn size(self) -> f32;
}

#[gpu_device]
fn total<S: Shape + Weighed>(s: S) -> f32 {
    s.size()
}

fn main() {}
