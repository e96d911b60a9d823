//! A literal of a generic struct where nothing tells which instance it is.

use gpu_runtime::prelude::*;

#[derive(Clone, Copy, DeviceType)]
#[repr(C)]
struct Pair<T> {
    a: T,
    b: T,
}

#[gpu_kernel]
fn kernel(out: &mut [f32]) {
    let i = grid_1d();
    if i < out.len() {
        let pair = Pair { a: 1.0f32, b: 2.0f32 };
        out[i] = pair.a;
    }
}

fn main() {}
