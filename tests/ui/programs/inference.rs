//! Types that neither the kernel nor its callees show.

use gpu_runtime::prelude::*;

/// A literal in an expression that is an argument: the parameter may be of any type.
mod literals_in_an_argument {
    use super::*;

    #[gpu_device]
    fn helper(n: u64) -> f32 {
        n as f32
    }

    #[gpu_kernel]
    fn kernel(x: &[f32], out: &mut [f32]) {
        let i = grid_1d();
        if i < out.len() {
            out[i] = helper(1 + 2); //~
        }
    }

    fn caller() -> gpu_runtime::Result<()> {
        let device = Device::cpu();
        let x = device.zeros::<f32>(8)?;
        let mut out = device.zeros::<f32>(8)?;
        kernel(&x, &mut out).launch(1, 8)
    }
}

/// A number cannot be indexed.
#[gpu_kernel]
fn index_of_number(x: &[f32], out: &mut [f32]) {
    let i = grid_1d();
    if i < out.len() {
        out[i] = x[i][0]; //~
    }
}

// Callers of what was refused compile.

fn callers() -> gpu_runtime::Result<()> {
    let device = Device::cpu();
    let x = device.zeros::<f32>(8)?;
    let mut out = device.zeros::<f32>(8)?;
    index_of_number(&x, &mut out).launch(1, 8)?;
    Ok(())
}

fn main() {}
