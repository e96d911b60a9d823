//! A const parameter of a function written in CUDA C.

use gpu_runtime::prelude::*;

#[gpu_device(unsafe(cuda = "__device__ int plus(int x) { return x + 1; }"))]
fn plus<const N: i32>(x: i32) -> i32 {
    x + N
}

fn main() {}
