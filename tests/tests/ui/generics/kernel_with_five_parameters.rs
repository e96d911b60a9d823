//! A kernel has at most four parameters of its own.

use gpu_runtime::prelude::*;

#[gpu_kernel]
fn kernel<T: Num, const A: usize, const B: usize, const C: usize, const D: usize>(out: &mut [T]) {
    out[A + B + C + D] = T::ZERO;
}

fn main() {}
