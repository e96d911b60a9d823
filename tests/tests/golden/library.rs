//! Methods that std lacks, cache hints, clocks, printing.

// The kernels are read, not launched.
#![allow(dead_code)]

use gpu_runtime::prelude::*;

#[gpu_kernel]
pub(crate) fn special_functions(x: &[f32], n: i32, out: &mut [f32], exponents: &mut [i32]) {
    let i = grid_1d();
    if i < out.len() {
        let a = x[i];
        let (mantissa, exponent) = a.frexp();
        exponents[i] = exponent;
        out[i] = a.erf() + mantissa.ldexp(n).rsqrt() * a.next_up();
        out[i] += a.fast_exp().fast_div(a.next_after(2.0)) - f32::sin_pi(a);
    }
}

#[gpu_kernel]
pub(crate) fn bit_operations(x: &[u32], y: &[i64], out: &mut [u32], wide: &mut [i64]) {
    let i = grid_1d();
    if i < out.len() {
        out[i] = x[i].mul_hi(7).funnel_shift_left(x[i], 3).byte_permute(1, 0x4321);
        wide[i] = y[i].mul_hi(-5);
    }
}

#[gpu_kernel]
pub(crate) fn cache_hints(x: &[f32], j: usize, out: &mut [f32]) {
    let i = grid_1d();
    if i < out.len() {
        out.store_streaming(i, x.load_streaming(i) * x.load_global(j) + 1.0);
    }
}

#[gpu_kernel]
pub(crate) fn clocks(out: &mut [u64]) {
    let i = grid_1d();
    if i < out.len() {
        let start = clock_cycles();
        nanosleep(50);
        out[i] = clock_cycles() - start + global_timer_ns();
    }
}

#[gpu_kernel]
pub(crate) fn prints(x: &[f32], small: u8, out: &mut [f32]) {
    let i = grid_1d();
    if i < out.len() {
        let value = x[i] * 2.0;
        println!("{i}: {value:>8.3} {:#04x} {:?} {}", small + 1, value > 1.0, 0.5);
        out[i] = value;
        print!("done\n");
    }
}

#[gpu_kernel]
pub(crate) fn rounding(x: &[f32], y: &[f32], out: &mut [f32], sums: &mut [f32]) {
    let i = grid_1d();
    if i < out.len() {
        out[i] = x[i].mul_add_round_down(2.0, 1.0).saturate();
        sums[i] = y[i].recip_round_up().add_round_to_zero(y[i].hypot3(1.0, 2.0));
    }
}
