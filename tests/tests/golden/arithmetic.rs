//! Operators, methods, casts and literals.

// The kernels are read, not launched.
#![allow(dead_code)]

use gpu_runtime::prelude::*;

#[gpu_kernel]
pub(crate) fn integer_operators(a: &[i32], b: &[u64], out: &mut [i32], wide: &mut [u64]) {
    let i = grid_1d();
    if i < out.len() {
        let x = a[i];
        out[i] = -x + x * 3 - (x & 12 | !x ^ 5);
        wide[i] = b[i] + 1 - b[i] * 2;
        out[i] += 7;
        out[i] ^= x;
    }
}

#[gpu_kernel]
pub(crate) fn small_integers(a: &[u8], b: &[i16], out: &mut [u8], wide: &mut [i16]) {
    let i = grid_1d();
    if i < out.len() {
        out[i] = a[i] + 200 - !a[i];
        wide[i] = -b[i] * b[i];
        out[i] <<= 3;
        if a[i] == out[i] - 7 || wide[i] * b[i] != b[i] {
            out[i] = 0;
        }
    }
}

#[gpu_kernel]
pub(crate) fn shifts(a: &[i32], n: u8, out: &mut [i32], bits: &mut [u64]) {
    let i = grid_1d();
    if i < out.len() {
        out[i] = a[i] << 4 >> n;
        out[i] >>= i;
        bits[i] = 1 << n;
    }
}

#[gpu_kernel]
pub(crate) fn division(a: &[i32], b: &[u32], out: &mut [i32], rest: &mut [u32]) {
    let i = grid_1d();
    if i < out.len() {
        out[i] = a[i] / 3 + 7 / a[i];
        rest[i] = b[i] % 8 + b[i] / b[i];
        out[i] /= 2;
        rest[i] %= b[i];
    }
}

#[gpu_kernel(fmad = false)]
pub(crate) fn float_operators(a: &[f32], k: f32, out: &mut [f32]) {
    let i = grid_1d();
    if i < out.len() {
        let x = a[i];
        out[i] = -x * k + x / 3.0 - x % 2.0;
        out[i] *= 0.5;
        if x > 0.0 && x != k {
            out[i] -= 1.0;
        }
    }
}

#[gpu_kernel]
pub(crate) fn double_operators(a: &[f64], out: &mut [f64]) {
    let i = grid_1d();
    if i < out.len() {
        out[i] = (a[i] + 0.1) * a[i] % 3.0 - 1e-300;
    }
}

#[gpu_kernel]
pub(crate) fn float_methods(a: &[f32], out: &mut [f32]) {
    let i = grid_1d();
    if i < out.len() {
        let x = a[i];
        out[i] = x.powi(2) + x.exp().powf(1.5) + x.abs().sqrt().max(1.0) + x.floor().mul_add(2.0, 0.5) + f32::hypot(x, 3.0);
        if x.is_nan() {
            out[i] = x.clamp(0.0, 1.0) + x.round() + x.signum() + x.rem_euclid(2.0) + x.to_radians();
        }
    }
}

/// `f64` in the PTX of sines and cosines reduces arguments from 2^17 on, and is behind a branch.
#[gpu_kernel]
pub(crate) fn trigonometry(a: &[f32], out: &mut [f32]) {
    let i = grid_1d();
    if i < out.len() {
        let (s, c) = a[i].sin_cos();
        out[i] = s.powi(2) + c.powi(2) + a[i].tan().atan2(2.0);
    }
}

#[gpu_kernel]
pub(crate) fn sine_and_cosine(a: &[f32], out: &mut [f32]) {
    let i = grid_1d();
    if i < out.len() {
        let x = a[i];
        out[i] = x.cos().powi(2) + x.sin().powi(2);
    }
}

#[gpu_kernel]
pub(crate) fn cosine(a: &[f32], out: &mut [f32]) {
    let i = grid_1d();
    if i < out.len() {
        out[i] = a[i].cos();
    }
}

#[gpu_kernel]
pub(crate) fn cosine_squared(a: &[f32], out: &mut [f32]) {
    let i = grid_1d();
    if i < out.len() {
        out[i] = a[i].cos().powi(2);
    }
}

#[gpu_kernel]
pub(crate) fn integer_methods(a: &[i32], b: &[u32], out: &mut [i32], bits: &mut [u32]) {
    let i = grid_1d();
    if i < out.len() {
        out[i] = a[i].abs().min(9).pow(2).rem_euclid(5).wrapping_add(1).saturating_sub(2);
        bits[i] = b[i].count_ones() + b[i].rotate_left(3) + a[i].abs_diff(2).div_ceil(4);
        let (sum, overflowed) = a[i].overflowing_add(a[i]);
        if overflowed {
            out[i] = sum;
        }
    }
}

#[gpu_kernel]
pub(crate) fn casts(a: &[f32], b: &[i64], c: &[bool], out: &mut [i32], wide: &mut [f64], bits: &mut [u32]) {
    let i = grid_1d();
    if i < out.len() {
        out[i] = a[i] as i32 + b[i] as i32 + c[i] as i32 + 3.9 as i32 + 255 as u8 as i8 as i32;
        wide[i] = a[i] as f64 + b[i] as f64 + f64::from(a[i]);
        bits[i] = a[i].to_bits() + a[i] as u8 as u32 + i as u32;
        out[i] += f32::from_bits(bits[i]) as i32;
    }
}

#[gpu_kernel]
pub(crate) fn literals(out: &mut [f32], wide: &mut [f64], int: &mut [i64], byte: &mut [u8]) {
    let i = grid_1d();
    if i < out.len() {
        out[i] = 0.1 + 1e10 + 16777217.0 + f32::MAX + f32::EPSILON + f32::INFINITY + std::f32::consts::PI;
        wide[i] = 0.1 + 1e-7 + 2f64 + f64::NAN;
        int[i] = -9223372036854775808 + 0xff + 1_000_000_000_000 + i64::MIN;
        byte[i] = b'a' + 0b11 + u8::MAX;
    }
}
