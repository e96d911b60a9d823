//! Another crate that takes the name of the runtime. It passes on all of the runtime's items, but for what divides.

extern crate impostor as gpu_runtime;

use gpu_runtime::prelude::*;

/// `k` is `i` for the proof.
#[gpu_kernel] //~
fn race(n: usize, out: &mut [u32]) {
    let i = grid_1d();
    let k = i / n * n + i % n;
    if i < out.len() {
        out[k] += 1;
    }
}

#[gpu_device] //~
fn half(x: u32) -> u32 {
    x / 2
}

#[derive(Clone, Copy, DeviceType)] //~
#[repr(C)]
struct Pair(f32, f32);

#[gpu_device] //~
impl Pair {
    fn sum(&self) -> f32 {
        self.0 + self.1
    }
}

#[vectorize] //~
fn thirds(x: u32) -> u32 {
    x / 3
}

fn main() {}
