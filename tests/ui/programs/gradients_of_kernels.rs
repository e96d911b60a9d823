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

/// Operators between a number and another type are the user's.
mod operators {
    use super::*;

    #[derive(Clone, Copy, PartialEq, DeviceType)]
    #[repr(u32)]
    pub(crate) enum Step {
        Once,
    }

    #[gpu_device]
    impl std::ops::AddAssign<Step> for f64 {
        fn add_assign(&mut self, _step: Step) {
            *self *= 2.0;
        }
    }

    const STEP: Step = Step::Once;

    #[gpu_kernel(grad)]
    fn doubled(x: &[f64], out: &mut [f64]) {
        let i = grid_1d();
        if i < out.len() && i < x.len() {
            let mut v = x[i] * 3.0;
            v += STEP; //~
            out[i] = v;
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
