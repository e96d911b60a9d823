//! Functions of one name.

use gpu_runtime::prelude::*;

/// Two functions of a module have two names.
#[gpu_kernel]
fn copied_kernel(x: &[f32], out: &mut [f32]) {
    let i = grid_1d();
    if i < out.len() {
        out[i] = x[i];
    }
}

#[gpu_kernel]
fn copied_kernel(x: &[f32], out: &mut [f32]) { //~
    let i = grid_1d();
    if i < out.len() {
        out[i] = x[i] + 1.0;
    }
}

#[gpu_device]
fn copied_function(x: f32) -> f32 {
    x
}

#[vectorize]
fn copied_function(x: f32) -> f32 { //~
    x + 1.0
}

/// The same name in two modules is no mistake.
mod another {
    use super::*;

    #[gpu_device]
    fn copied_function(x: f32) -> f32 {
        x
    }
}

fn caller() -> gpu_runtime::Result<()> {
    let device = Device::cpu();
    let x = device.zeros::<f32>(8)?;
    let mut out = device.zeros::<f32>(8)?;
    copied_kernel(&x, &mut out).launch(1, 8)
}

fn main() {}
