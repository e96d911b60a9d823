//! The outcome of a method is taken for the struct itself; rustc sees that it is not.

use gpu_runtime::prelude::*;

#[derive(Clone, Copy, DeviceType)]
#[repr(C)]
struct Vector {
    x: f32,
}

#[derive(Clone, Copy, DeviceType)]
#[repr(C)]
struct Matrix {
    a: f32,
}

#[gpu_device]
impl Vector {
    fn diagonal(&self) -> Matrix {
        Matrix { a: self.x }
    }

    fn norm(&self) -> f32 {
        self.x
    }
}

#[gpu_kernel]
fn kernel(v: &[Vector], out: &mut [f32]) {
    let m = v[0].diagonal();
    out[0] = m.norm();
}

fn main() {}
