//! `#[gpu_kernel(grad)]`: kernels that have no gradient, and why.

use gpu_runtime::prelude::*;
use std::sync::atomic::Ordering;

/// Values that the gradient needs, and that are overwritten.
mod overwritten {
    use super::*;

    #[gpu_kernel(grad)]
    fn in_place(x: &[f32], out: &mut [f32]) {
        let i = grid_1d();
        if i < out.len() && i < x.len() {
            out[i] = out[i] * x[i]; //~
        }
    }

    #[gpu_kernel(grad)]
    fn multiplied(x: &[f32], out: &mut [f32]) {
        let i = grid_1d();
        if i < out.len() && i < x.len() {
            out[i] *= x[i]; //~
        }
    }
}

/// What threads do together.
mod together {
    use super::*;

    #[gpu_kernel(grad)]
    fn atomics(x: &[f32], sum: &[AtomicF32], out: &mut [f32]) { //~
        let i = grid_1d();
        if i < out.len() && i < x.len() {
            sum[0].fetch_add(x[i], Ordering::Relaxed);
            out[i] = x[i];
        }
    }

    #[gpu_kernel(grad, block = 64)]
    fn in_shared_memory(x: &[f32], out: &mut [f32]) {
        let i = grid_1d();
        let mut tile = shared::<[f32; 64]>(); //~
        if i < x.len() {
            tile[thread_idx().x] = x[i];
        }
        sync_threads(); //~
        if i < out.len() {
            out[i] = 1.0;
        }
    }

    #[gpu_kernel(grad)]
    fn in_a_warp(x: &[f32], out: &mut [f32]) {
        let i = grid_1d();
        let own = if i < x.len() { x[i] } else { 0.0 };
        let largest = warp_max(own); //~
        if i < out.len() {
            out[i] = own / largest;
        }
    }
}

/// What has no derivative.
mod numbers {
    use super::*;

    #[gpu_kernel(grad)]
    fn cells(x: &[f32], out: &mut [f32]) {
        let i = grid_1d();
        if i < out.len() && i < x.len() {
            let cell = x[i] as usize; //~
            out[i] = x[cell % x.len()];
        }
    }

    #[gpu_kernel(grad)]
    fn rounded(x: &[f32], out: &mut [f32]) {
        let i = grid_1d();
        if i < out.len() && i < x.len() {
            out[i] = x[i].round(); //~
        }
    }
}

/// Control flow.
mod control {
    use super::*;

    #[gpu_kernel(grad)]
    fn leaves(x: &[f32], out: &mut [f32]) {
        let i = grid_1d();
        if i < out.len() {
            for j in 0..x.len() {
                if j > i {
                    if x[j] < 0.0 {
                        break; //~
                    }
                    out[i] += 1.0;
                }
                out[i] += x[j];
            }
        }
    }

    #[gpu_kernel(grad)]
    fn matches(x: &[f32], kind: u32, out: &mut [f32]) {
        let i = grid_1d();
        if i < out.len() && i < x.len() {
            out[i] = match kind { //~
                0 => x[i],
                _ => 1.0,
            };
        }
    }
}

/// Signatures.
mod signatures {
    use super::*;

    #[gpu_kernel(grad)]
    fn nothing_to_differentiate_by(n: u32, out: &mut [f32]) { //~
        let i = grid_1d();
        if i < out.len() {
            out[i] = n as f32;
        }
    }

    #[gpu_kernel(grad)]
    fn generic<T: Float>(x: &[T], out: &mut [T]) { //~
        let i = grid_1d();
        if i < out.len() && i < x.len() {
            out[i] = x[i];
        }
    }
}

fn main() {}
