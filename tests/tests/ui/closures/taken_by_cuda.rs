//! A function written in CUDA C that takes a function.

use gpu_runtime::prelude::*;

#[gpu_device(unsafe(cuda = "template <class F> __device__ float twice(F f, float x) { return f(f(x)); }"))]
fn twice(f: impl Fn(f32) -> f32, x: f32) -> f32 {
    f(f(x))
}

fn main() {}
