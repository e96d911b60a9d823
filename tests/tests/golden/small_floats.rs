//! Floats of 16 bits.

// The kernels are read, not launched.
#![allow(dead_code)]

use std::sync::atomic::Ordering::Relaxed;

use gpu_runtime::prelude::*;
use half::{bf16, f16};

#[derive(Clone, Copy, DeviceType)]
#[repr(C)]
pub(crate) struct Weighted {
    value: bf16,
    weight: f16,
}

#[gpu_kernel]
pub(crate) fn halves(x: &[f16], by: bf16, pairs: &[Weighted], out: &mut [f16], sums: &[AtomicF16], bits: &mut [u16]) {
    const LIMIT: f16 = f16::from_f32_const(0.5);
    let i = grid_1d();
    if i < out.len() && i < x.len() && i < bits.len() {
        let scaled = f16::from_f32(x[i].to_f32() * by.to_f32());
        out[i] = (x[i] * scaled - f16::ONE).sqrt().min(LIMIT);
        out[i] += pairs[i].weight;
        out[i] /= f16::from_f64(pairs[i].value.to_f64() * 3.0);
        bits[i] = out[i].to_bits() + i.cast::<bf16>().to_bits();
        sums[0].fetch_add(warp_sum(x[i]), Relaxed);
    }
}
