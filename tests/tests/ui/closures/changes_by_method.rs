//! A closure that changes a struct by a method.

use gpu_runtime::prelude::*;

#[derive(Clone, Copy, DeviceType)]
#[repr(C)]
struct Particle {
    at: [f32; 2],
    mass: f32,
}

#[gpu_device]
impl Particle {
    fn grow(&mut self, by: f32) -> f32 {
        self.mass += by;
        self.mass
    }
}

#[gpu_kernel]
fn kernel(start: Particle, out: &mut [f32]) {
    let i = grid_1d();
    let mut particle = start;
    let mut grow = |by: f32| particle.grow(by);
    out[i] = grow(1.0) + grow(2.0);
}

fn main() {}
