use gpu_runtime::prelude::*;
use half::f16;

#[vectorize]
fn square(x: f16) -> f16 {
    x * x
}

fn main() {}
