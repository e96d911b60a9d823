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

/// Values of shared memory that are gone when the gradient needs them, and what the attribute does not follow.
mod in_shared_memory {
    use super::*;

    #[gpu_kernel(grad, block = 64)]
    fn overwritten(x: &[f32], out: &mut [f32]) {
        let mut s = shared::<[f32; 64]>();
        let (t, i) = (thread_idx().x, grid_1d());
        s[t] = x[i];
        sync_threads();
        let mut product = 1.0;
        for k in 0..64 {
            product *= s[k];
        }
        sync_threads();
        s[t] = product; //~
        sync_threads();
        out[i] = s[63 - t];
    }

    #[gpu_kernel(grad, block = 64)]
    fn in_a_loop(x: &[f32], out: &mut [f32]) {
        let mut s = shared::<[f32; 64]>();
        let (t, i) = (thread_idx().x, grid_1d());
        s[t] = 1.0;
        for k in 0..x.len() { //~
            s[t] *= x[k];
        }
        sync_threads();
        out[i] = s[63 - t];
    }

    #[gpu_kernel(grad, block = 64)]
    fn in_a_branch(x: &[f32], out: &mut [f32]) {
        let mut s = shared::<[f32; 64]>();
        let (t, i) = (thread_idx().x, grid_1d());
        s[t] = x[i];
        let mut sum = 0.0;
        if i < out.len() { //~
            for k in 0..x.len() {
                sum += s[t] * k as f32;
            }
            s[t] = 1.0;
            out[i] = sum * sum;
        }
    }

    #[gpu_kernel(grad)]
    fn in_blocks_of_any_size(x: &[f32], out: &mut [f32]) {
        let mut s = dynamic_shared::<f32>(block_dim().x);
        let (t, i) = (thread_idx().x, grid_1d());
        s[t] = x[i];
        sync_threads();
        let mut half = block_dim().x / 2;
        while half > 0 { //~
            if t < half {
                s[t] = s[t].max(s[t + half]);
            }
            sync_threads();
            half /= 2;
        }
        out[i] = s[0];
    }

    #[gpu_kernel(grad, block = 64)]
    fn barriers(x: &[f32], n: usize, out: &mut [f32]) {
        let mut s = shared::<[f32; 64]>();
        let (t, i) = (thread_idx().x, grid_1d());
        s[t] = x[i];
        sync_warp(); //~
        if n > 3 {
            sync_threads(); //~
        }
        out[i] = s[t];
    }

    #[gpu_kernel(grad, block = 64)]
    fn declared_in_a_loop(x: &[f32], out: &mut [f32]) {
        let (t, i) = (thread_idx().x, grid_1d());
        for j in 0..x.len() {
            let mut s = shared::<[f32; 64]>(); //~
            s[t] = x[j];
            out[i] += s[t];
        }
    }

    #[gpu_kernel(grad, block = 64)]
    fn parts(x: &[f32], out: &mut [f32]) {
        let mut s = shared::<[f32; 64]>();
        let _pairs = shared::<[(f32, f32); 64]>(); //~
        let (t, i) = (thread_idx().x, grid_1d());
        s[t] = x[i];
        if i < out.len() {
            let is_large = i > 2 && s[t] > 1.0; //~
            out[i] = if is_large { 2.0 * x[i] } else { x[i] };
        }
    }

    #[gpu_kernel(grad)]
    fn in_variables(x: &[f32], out: &mut [f32]) {
        let i = grid_1d();
        if i < out.len() {
            let many = [x[i]; 30]; //~
            out[i] = many[0];
        }
    }

    #[gpu_kernel(grad)]
    fn copied(x: &[f32], out: &mut [f32]) {
        let i = grid_1d();
        if i < out.len() {
            let long = [1.0; 30];
            let copy = long; //~
            out[i] = copy[0] * x[i];
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


/// Structs and tuples whose numbers the attribute does not see.
mod of_structs {
    use super::*;

    #[derive(Clone, Copy, DeviceType)]
    #[repr(C)]
    struct Vector {
        x: f32,
        y: f32,
    }

    #[derive(Clone, Copy, DeviceType)]
    #[repr(C)]
    struct Choice {
        x: f32,
        chosen: Option<f32>,
    }

    #[gpu_device]
    impl Vector {
        fn norm(self) -> f32 {
            (self.x * self.x + self.y * self.y).sqrt()
        }
    }

    #[gpu_device]
    impl std::ops::Add for Vector {
        type Output = Vector;

        fn add(self, other: Vector) -> Vector {
            Vector { x: self.x + other.x, y: self.y + other.y }
        }
    }

    #[gpu_device]
    fn length(v: Vector) -> f32 {
        v.norm()
    }

    #[gpu_kernel(grad)]
    fn with_other_fields(x: &[Choice], out: &mut [f32]) { //~
        let i = grid_1d();
        if i < out.len() && i < x.len() {
            out[i] = x[i].x;
        }
    }

    #[gpu_kernel(grad)]
    fn methods(v: &[Vector], out: &mut [f32]) {
        let i = grid_1d();
        if i < out.len() && i < v.len() {
            out[i] = v[i].norm(); //~
        }
    }

    #[gpu_kernel(grad)]
    fn operators(v: &[Vector], out: &mut [f32]) {
        let i = grid_1d();
        if i < out.len() && i < v.len() {
            let sum: Vector = v[i] + v[i]; //~
            out[i] = sum.x;
        }
    }

    #[gpu_kernel(grad)]
    fn without_a_derivative(v: &[Vector], out: &mut [f32]) {
        let i = grid_1d();
        if i < out.len() && i < v.len() {
            let norm: f32 = length(v[i]); //~
            out[i] = norm;
        }
    }

    #[gpu_kernel(grad)]
    fn in_a_condition(v: &[Vector], out: &mut [f32]) {
        let i = grid_1d();
        if i < out.len() {
            let mut k = 0;
            while k < v.len() && length(v[k]) < 1.0 { //~
                out[i] += v[k].x;
                k += 1;
            }
        }
    }

    #[gpu_device(grad)]
    fn returns_in_a_loop(v: Vector, n: u32) -> Vector {
        for k in 0..n {
            if k > 3 {
                return v; //~
            }
        }
        Vector { x: v.y, y: v.x }
    }
}

fn main() {}
