//! Types that neither the kernel nor its callees show.

use gpu_runtime::prelude::*;

/// An array from a device function.
mod array_of_unknown_type {
    use super::*;

    #[gpu_device]
    fn both(v: f32) -> [f32; 2] {
        [v, v]
    }

    #[gpu_kernel]
    fn kernel(x: &[f32], out: &mut [f32]) {
        let i = grid_1d();
        if i < out.len() {
            let pair = both(x[i]);
            out[i] = pair[0]; //~
        }
    }

    fn caller() -> gpu_runtime::Result<()> {
        let device = Device::cpu();
        let x = device.zeros::<f32>(8)?;
        let mut out = device.zeros::<f32>(8)?;
        kernel(&x, &mut out).launch(1, 8)
    }
}

/// A literal beside a constant whose type is not visible.
mod constant_times_literal {
    use super::*;

    const SCALE: f32 = 2.0;

    #[gpu_kernel]
    fn kernel(x: &[f32], out: &mut [f32]) {
        let i = grid_1d();
        if i < out.len() {
            let v = 0.5 * SCALE; //~
            out[i] = x[i];
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

/// A literal whose type only a constant tells.
mod literal_with_constant {
    use super::*;

    const STEP: u64 = 2;

    #[gpu_kernel]
    fn kernel(x: &[f32], out: &mut [f32]) {
        let i = grid_1d();
        if i < out.len() {
            let mut sum = 0; //~
            sum += STEP;
            out[i] = x[i];
        }
    }

    fn caller() -> gpu_runtime::Result<()> {
        let device = Device::cpu();
        let x = device.zeros::<f32>(8)?;
        let mut out = device.zeros::<f32>(8)?;
        kernel(&x, &mut out).launch(1, 8)
    }
}

/// A literal whose type only a device function tells.
mod literal_with_device_function {
    use super::*;

    #[gpu_device]
    fn helper(v: f32) -> f64 {
        v as f64
    }

    #[gpu_kernel]
    fn kernel(x: &[f32], out: &mut [f32]) {
        let i = grid_1d();
        if i < out.len() {
            let v = helper(x[i]) * 2.0; //~
            out[i] = v as f32;
        }
    }

    fn caller() -> gpu_runtime::Result<()> {
        let device = Device::cpu();
        let x = device.zeros::<f32>(8)?;
        let mut out = device.zeros::<f32>(8)?;
        kernel(&x, &mut out).launch(1, 8)
    }
}

/// A tuple from a device function.
mod tuple_of_unknown_type {
    use super::*;

    #[gpu_device]
    fn both(v: f32) -> (f32, f32) {
        (v, v)
    }

    #[gpu_kernel]
    fn kernel(x: &[f32], out: &mut [f32]) {
        let i = grid_1d();
        if i < out.len() {
            let pair = both(x[i]);
            out[i] = pair.0; //~
        }
    }

    fn caller() -> gpu_runtime::Result<()> {
        let device = Device::cpu();
        let x = device.zeros::<f32>(8)?;
        let mut out = device.zeros::<f32>(8)?;
        kernel(&x, &mut out).launch(1, 8)
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
