//! A mistake in one method is not one in the kernels that call it or others.

use gpu_runtime::prelude::*;

#[derive(Clone, Copy, DeviceType)]
#[repr(C)]
struct Vector {
    x: f32,
}

#[gpu_device]
impl Vector {
    fn norm(&self) -> f32 {
        let scratch: Vec<f32> = Vec::new();
        self.x
    }

    fn twice(&self, by: &[f32]) -> Vector {
        Vector { x: by[0] * self.x }
    }
}

#[gpu_kernel]
fn kernel(v: &[Vector], by: &[f32], out: &mut [f32]) {
    out[0] = v[0].norm() + v[1].twice(by).norm();
}

fn main() {}
