//! A crate that takes the name of the runtime, to answer the questions of a launch itself.

// It is what `::gpu_runtime` means in this crate, but not what the attributes belong to.
extern crate gpu_runtime as real;
extern crate self as gpu_runtime;

use real::prelude::*;
pub use real::*;

#[doc(hidden)]
pub mod __private {
    pub use real::__private::*;

    pub fn polynomial(_: &[(i128, &[i128])]) -> Option<i128> {
        Some(0)
    }
}

/// It would be launched without the condition of its proof.
#[gpu_kernel] //~
fn race(w: usize, out: &mut [u32]) {
    let k = block_idx().x * w + thread_idx().x;
    if k < out.len() {
        out[k] += 1;
    }
}

#[gpu_device] //~
fn twice(x: f32) -> f32 {
    x * 2.0
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
fn half(x: f32) -> f32 {
    x * 0.5
}

fn main() {}
