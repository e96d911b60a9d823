//! Options of the attribute, unrolled loops, and what leaves the language.

// The kernels are read, not launched.
#![allow(dead_code)]

use gpu_runtime::prelude::*;

const COPIES: usize = 4;

#[gpu_kernel(launch_bounds = (256, 2))]
pub(crate) fn unrolled_loops(n: u32, out: &mut [u32]) {
    let i = grid_1d();
    if i < out.len() {
        let mut sum = 0;
        #[unroll]
        for k in 0..n {
            sum += k;
        }
        #[unroll(COPIES)]
        while sum > 100 {
            sum /= 2;
        }
        #[unroll(1)]
        for k in (0..n).rev() {
            sum ^= k;
        }
        out[i] = sum;
    }
}

#[gpu_kernel(block = 128, max_registers = 32)]
pub(crate) fn assembly(x: &[u32], out: &mut [u64]) {
    let i = grid_1d();
    if i < x.len() && i < out.len() {
        // SAFETY: the instruction reads and writes registers alone, and the CPU computes the same.
        let y = unsafe { ptx!("brev.b32 {}, {};", out(u32), in(x[i]), options(pure), else { x[i].reverse_bits() }) };
        // SAFETY: as above.
        let (low, high) = unsafe {
            ptx!("mul.lo.u32 {0}, {2}, {3}; mul.hi.u32 {1}, {2}, {3};", out(u32), out(u32), in(y), in(7u32), else {
                let product = y as u64 * 7;
                (product as u32, (product >> 32) as u32)
            })
        };
        // SAFETY: a fence changes no value.
        unsafe { ptx!("membar.gl; // 100%", else {}) };
        out[i] = (high as u64) << 32 | low as u64;
    }
}

#[gpu_device(unsafe(cuda = "__device__ float scaled(const float* x, size_t x_len, float by) { return x[x_len - 1] * by; }"))]
pub(crate) fn scaled(x: &[f32], by: f32) -> f32 {
    x[x.len() - 1] * by
}

#[gpu_kernel]
pub(crate) fn foreign_functions(x: &[f32], out: &mut [f32]) {
    let i = grid_1d();
    if i < out.len() {
        out[i] = scaled(x, 2.0);
    }
}
