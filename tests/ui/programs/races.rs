//! Launches that need `unsafe`, as threads may race.

use gpu_runtime::prelude::*;

/// Every thread writes element 0: the launch is `unsafe`.
mod all_threads_write_one_element {
    use super::*;

    #[gpu_kernel]
    fn kernel(x: &[f32], out: &mut [f32]) {
        out[0] = x[grid_1d()];
    }

    fn caller() -> gpu_runtime::Result<()> {
        let device = Device::cpu();
        let x = device.zeros::<f32>(8)?;
        let mut out = device.zeros::<f32>(8)?;
        kernel(&x, &mut out).launch(1, 8) //~
    }
}

/// `forall` of an unproved kernel is `unsafe`.
mod forall_needs_unsafe {
    use super::*;

    #[gpu_kernel]
    fn kernel(x: &[f32], out: &mut [f32]) {
        out[0] = x[grid_1d()];
    }

    fn caller() -> gpu_runtime::Result<()> {
        let device = Device::cpu();
        let x = device.zeros::<f32>(8)?;
        let mut out = device.zeros::<f32>(8)?;
        kernel(&x, &mut out).forall(8) //~
    }
}

/// A barrier of the grid that not all blocks reach.
mod grid_barrier_for_some_blocks {
    use super::*;

    #[gpu_kernel]
    fn kernel(out: &mut [f32]) {
        let i = grid_1d();
        if block_idx().x > 2 {
            sync_grid();
        }
        if i < out.len() {
            out[i] = 1.0;
        }
    }

    fn caller() -> gpu_runtime::Result<()> {
        let device = Device::cpu();
        let mut out = device.zeros::<f32>(8)?;
        kernel(&mut out).launch(4, 8) //~
    }
}

/// An index from memory: the launch is `unsafe`.
mod index_from_memory {
    use super::*;

    #[gpu_kernel]
    fn kernel(index: &[u32], out: &mut [f32]) {
        let i = grid_1d();
        if i < index.len() {
            out[index[i] as usize] = 1.0;
        }
    }

    fn caller() -> gpu_runtime::Result<()> {
        let device = Device::cpu();
        let index = device.zeros::<u32>(8)?;
        let mut out = device.zeros::<f32>(8)?;
        kernel(&index, &mut out).launch(1, 8) //~
    }
}

/// A thread reads what its neighbour writes: the launch is `unsafe`.
mod neighbour_is_read {
    use super::*;

    #[gpu_kernel]
    fn kernel(out: &mut [f32]) {
        let i = grid_1d();
        if i + 1 < out.len() {
            out[i] = out[i + 1];
        }
    }

    fn caller() -> gpu_runtime::Result<()> {
        let device = Device::cpu();
        let mut out = device.zeros::<f32>(8)?;
        kernel(&mut out).launch(1, 8) //~
    }
}

/// A barrier makes what others wrote visible; that nobody writes meanwhile is not followed.
mod neighbour_is_read_after_grid_barrier {
    use super::*;

    #[gpu_kernel]
    fn kernel(x: &mut [f32], out: &mut [f32]) {
        let i = grid_1d();
        x[i] = i as f32;
        sync_grid();
        if i > 0 {
            out[i] = x[i - 1];
        }
    }

    fn caller() -> gpu_runtime::Result<()> {
        let device = Device::cpu();
        let (mut x, mut out) = (device.zeros::<f32>(8)?, device.zeros::<f32>(8)?);
        kernel(&mut x, &mut out).launch(4, 2) //~
    }
}

/// A thread writes its neighbour's element as well: the launch is `unsafe`.
mod neighbour_is_written {
    use super::*;

    #[gpu_kernel]
    fn kernel(x: &[f32], out: &mut [f32]) {
        let i = grid_1d();
        if i + 1 < out.len() {
            out[i] = x[i];
            out[i + 1] = x[i];
        }
    }

    fn caller() -> gpu_runtime::Result<()> {
        let device = Device::cpu();
        let x = device.zeros::<f32>(8)?;
        let mut out = device.zeros::<f32>(8)?;
        kernel(&x, &mut out).launch(1, 8) //~
    }
}

/// A function of the warp where only some of its threads are.
mod warp_under_condition {
    use super::*;

    #[gpu_kernel]
    fn kernel(x: &[f32], out: &mut [f32]) {
        let i = grid_1d();
        if i < x.len() {
            out[i] = warp_sum(x[i]);
        }
    }

    fn caller() -> gpu_runtime::Result<()> {
        let device = Device::cpu();
        let x = device.zeros::<f32>(8)?;
        let mut out = device.zeros::<f32>(8)?;
        kernel(&x, &mut out).launch(1, 8) //~
    }
}

fn main() {}
