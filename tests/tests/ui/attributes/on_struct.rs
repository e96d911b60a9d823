//! The attribute belongs on a function.

use gpu_runtime::prelude::*;

#[gpu_kernel]
struct Kernel {
    x: f32,
}

fn main() {
    let _ = Kernel { x: 1.0 }.x;
}
