//! A closure that assigns a field of a struct around it.

use gpu_runtime::prelude::*;

#[derive(Clone, Copy, DeviceType)]
#[repr(C)]
struct Particle {
    at: [f32; 2],
    mass: f32,
}

#[gpu_kernel]
fn kernel(start: Particle, out: &mut [f32]) {
    let i = grid_1d();
    let mut particle = start;
    let mut push = |by: f32| particle.at[1] += by;
    push(1.0);
    out[i] = particle.at[1] * particle.mass;
}

fn main() {}
