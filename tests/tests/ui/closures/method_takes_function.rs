//! A method that takes a function.

use gpu_runtime::prelude::*;

#[derive(Clone, Copy, DeviceType)]
#[repr(C)]
struct Particle {
    at: [f32; 2],
    mass: f32,
}

#[gpu_device]
impl Particle {
    fn scaled(self, by: impl Fn(f32) -> f32) -> f32 {
        by(self.mass)
    }
}

fn main() {}
