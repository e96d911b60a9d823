//! Several mistakes in one function.

use gpu_runtime::prelude::*;

/// Several mistakes give as many errors in one build.
mod independent_mistakes {
    use super::*;

    #[gpu_kernel]
    fn kernel(x: &[f32], out: &mut [f32]) {
        let i = grid_1d();
        let name = "kernel"; //~
        let squares = (|v: f32| v * v, 1); //~
        eprintln!("{}", i); //~
        let all = x.iter().collect::<Vec<_>>(); //~
    }

    fn caller() -> gpu_runtime::Result<()> {
        let device = Device::cpu();
        let x = device.zeros::<f32>(8)?;
        let mut out = device.zeros::<f32>(8)?;
        kernel(&x, &mut out).launch(1, 8)
    }
}

/// A mistake in a parameter and one in the body.
#[gpu_kernel(blocks = 32)] //~
fn signature_and_body(x: &[f32], k: u128, out: &mut [f32]) { //~
    let i = grid_1d();
    if i < out.len() {
        out[i] = x[i];
    }
}

/// Mistakes in two functions are reported together, and their callers are fine.
mod two_functions {
    use super::*;

    #[gpu_device]
    fn clip(v: f32) -> f32 {
        v.gamma() //~
    }

    #[gpu_kernel]
    fn kernel(x: &[f32], out: &mut [f32]) {
        let i = grid_1d();
        if i < out.len() {
            let limit: u128 = 1; //~
            out[i] = clip(x[i]);
        }
    }

    fn caller() -> gpu_runtime::Result<()> {
        let device = Device::cpu();
        let x = device.zeros::<f32>(8)?;
        let mut out = device.zeros::<f32>(8)?;
        kernel(&x, &mut out).launch(1, 8)?;
        assert!(kernel::cuda_source().contains("clip"));
        Ok(())
    }
}

fn main() {}
