//! Barriers, warps, and the `async` functions in which threads wait for each other.

use gpu_runtime::prelude::*;

/// A device function that waits says so.
mod await_in_plain_device_function {
    use super::*;

    #[gpu_device]
    fn mean(value: f32) -> f32 {
        gpu_runtime::block::block_sum(value).await / 8.0 //~
    }

    #[gpu_kernel]
    fn kernel(out: &mut [f32]) {
        let i = grid_1d();
        out[i] = mean(1.0);
    }

    fn caller() -> gpu_runtime::Result<()> {
        let mut out = Device::cpu().zeros::<f32>(8)?;
        kernel(&mut out).launch(1, 8)
    }
}

/// A parameter that barriers depend on is the same for all threads.
mod divergent_argument {
    use super::*;

    #[gpu_device]
    async fn smoothed(x: f32, again: bool) -> f32 {
        let mut tile = shared::<[f32; 64]>();
        let t = thread_idx().x;
        tile[t] = x;
        sync_threads();
        if again {
            tile[t] = x * 0.5;
            sync_threads();
        }
        tile[(t + 1) % 64]
    }

    #[gpu_kernel(block = 64)]
    fn kernel(x: &[f32], out: &mut [f32]) {
        let i = grid_1d();
        let v = if i < x.len() { x[i] } else { 0.0 };
        let smooth = smoothed(v, v > 1.0).await; //~
        if i < out.len() {
            out[i] = smooth;
        }
    }
}

/// A result that barriers depend on is the same for all threads.
mod divergent_result {
    use super::*;
    use gpu_runtime::block::block_scan;

    #[gpu_device]
    async fn ranked(x: u32) -> u32 {
        let before: u32 = block_scan(x).await; //~
        if before > 3 {
            sync_threads();
        }
        before
    }

    #[gpu_kernel]
    fn kernel(x: &[u32], out: &mut [u32]) {
        let i = grid_1d();
        out[i] = ranked(x[i]).await;
    }
}

/// Barriers wait by themselves.
#[gpu_kernel]
fn await_of_intrinsic(out: &mut [f32]) {
    let i = grid_1d();
    sync_threads().await; //~
    out[i] = 1.0;
}

/// Only `async` device functions are awaited.
mod await_of_plain_function {
    use super::*;

    #[gpu_device]
    fn double(x: f32) -> f32 {
        x * 2.0
    }

    #[gpu_kernel]
    fn kernel(x: &[f32], out: &mut [f32]) {
        let i = grid_1d();
        out[i] = double(x[i]).await; //~
    }

    fn caller() -> gpu_runtime::Result<()> {
        let device = Device::cpu();
        let x = device.zeros::<f32>(8)?;
        let mut out = device.zeros::<f32>(8)?;
        kernel(&x, &mut out).launch(1, 8)
    }
}

/// Numbers are not awaited.
#[gpu_kernel]
fn await_of_value(out: &mut [f32]) {
    let i = grid_1d();
    let x = 1.0f32;
    out[i] = x.await; //~
}

/// Barriers are in kernels.
mod barrier_in_device_function {
    use super::*;

    #[gpu_device]
    fn helper(v: f32) -> f32 {
        sync_threads(); //~
        v
    }

    #[gpu_kernel]
    fn kernel(x: &[f32], out: &mut [f32]) {
        let i = grid_1d();
        if i < out.len() {
            out[i] = helper(x[i]);
        }
    }

    fn caller() -> gpu_runtime::Result<()> {
        let device = Device::cpu();
        let x = device.zeros::<f32>(8)?;
        let mut out = device.zeros::<f32>(8)?;
        kernel(&x, &mut out).launch(1, 8)
    }
}

/// All threads of a block reach the barriers of a device function: a caller could not guarantee this.
mod barrier_under_condition_in_device_function {
    use super::*;

    #[gpu_device]
    async fn helper(v: f32) -> f32 {
        if thread_idx().x < 4 {
            sync_threads(); //~
        }
        v
    }

    #[gpu_kernel]
    fn kernel(x: &[f32], out: &mut [f32]) {
        let i = grid_1d();
        out[i] = helper(x[i]).await;
    }

    fn caller() -> gpu_runtime::Result<()> {
        let device = Device::cpu();
        let x = device.zeros::<f32>(8)?;
        let mut out = device.zeros::<f32>(8)?;
        kernel(&x, &mut out).launch(1, 8)
    }
}

/// A call of an `async` device function is awaited.
mod call_without_await {
    use gpu_runtime::block::block_sum;
    use super::*;

    #[gpu_kernel]
    fn kernel(x: &[f32], out: &mut [f32]) {
        let i = grid_1d();
        out[i] = block_sum(x[i]); //~
    }

    fn caller() -> gpu_runtime::Result<()> {
        let device = Device::cpu();
        let x = device.zeros::<f32>(8)?;
        let mut out = device.zeros::<f32>(8)?;
        kernel(&x, &mut out).launch(1, 8)
    }
}

/// The barrier's name in CUDA C and Numba.
#[gpu_kernel]
fn cuda_barrier(x: &[f32], out: &mut [f32]) {
    let i = grid_1d();
    if i < out.len() {
        out[i] = x[i];
    }
    syncthreads(); //~
}

/// The grid's barrier by its name in CUDA C++ and Numba.
#[gpu_kernel]
fn cuda_grid_barrier(out: &mut [f32]) {
    let i = grid_1d();
    if i < out.len() {
        out[i] = 1.0;
    }
    this_grid().sync(); //~
}

/// All blocks of a grid reach its barriers in a device function: a caller could not guarantee this.
mod grid_barrier_for_some_blocks_in_device_function {
    use super::*;

    #[gpu_device]
    async fn helper(v: f32) -> f32 {
        if block_idx().x > 0 {
            sync_grid(); //~
        }
        v
    }

    #[gpu_kernel]
    fn kernel(x: &[f32], out: &mut [f32]) {
        let i = grid_1d();
        out[i] = helper(x[i]).await;
    }

    fn caller() -> gpu_runtime::Result<()> {
        let device = Device::cpu();
        let x = device.zeros::<f32>(8)?;
        let mut out = device.zeros::<f32>(8)?;
        kernel(&x, &mut out).launch(1, 8)
    }
}

/// The barrier of the grid in a device function that is not `async`.
mod grid_barrier_in_device_function {
    use super::*;

    #[gpu_device]
    fn helper(v: f32) -> f32 {
        sync_grid(); //~
        v
    }

    #[gpu_kernel]
    fn kernel(x: &[f32], out: &mut [f32]) {
        let i = grid_1d();
        if i < out.len() {
            out[i] = helper(x[i]);
        }
    }

    fn caller() -> gpu_runtime::Result<()> {
        let device = Device::cpu();
        let x = device.zeros::<f32>(8)?;
        let mut out = device.zeros::<f32>(8)?;
        kernel(&x, &mut out).launch(1, 8)
    }
}

/// Which threads a mask names is for the kernel to know, whose launch is unsafe then.
mod mask_in_device_function {
    use super::*;

    #[gpu_device]
    async fn lower_half(v: f32) -> f32 {
        warp_sum_in(v, 0xffff) //~
    }

    #[gpu_kernel]
    fn kernel(x: &[f32], out: &mut [f32]) {
        let i = grid_1d();
        out[i] = lower_half(x[i]).await;
    }

    fn caller() -> gpu_runtime::Result<()> {
        let device = Device::cpu();
        let x = device.zeros::<f32>(16)?;
        let mut out = device.zeros::<f32>(16)?;
        kernel(&x, &mut out).launch(1, 16)
    }
}

/// Other threads may write to a place with a name while this thread waits.
#[gpu_kernel(block = 32)]
fn named_place_behind_a_barrier(out: &mut [f32]) {
    let mut tile = shared::<[f32; 32]>();
    let t = thread_idx().x;
    let place = &mut tile[t];
    *place = 1.0;
    sync_threads();
    out[t] = *place; //~
}

#[gpu_kernel(block = 64)]
fn closure_across_barrier(out: &mut [f32]) {
    let t = thread_idx().x;
    let mut tile = shared::<[f32; 64]>();
    tile[t] = 1.0;
    sync_threads();
    let other = &tile[63 - t];
    let read = || *other;
    sync_threads();
    if t >= 32 { //~
        out[t] = read();
    } else {
        tile[t] = 2.0;
    }
}

#[gpu_device]
fn add(place: &mut f32, value: f32) {
    *place += value;
}

/// The same of places without a name: the function uses them where all of its arguments are evaluated.
#[gpu_kernel(block = 32)]
fn arguments_before_a_barrier(out: &mut [f32]) {
    let mut tile = shared::<[f32; 32]>();
    let mut pairs = shared::<[Pair; 32]>();
    let t = thread_idx().x;
    let sum = |a: &f32, b: f32| *a + b;
    tile[t] = 1.0;
    pairs[t] = Pair { a: 1.0, b: 2.0 };
    sync_threads();
    out[t] = sum(&tile[(t + 1) % 32], block_sum(1.0).await); //~
    add(&mut tile[t], block_sum(1.0).await); //~
    out[t] += pairs[t].scaled(block_sum(1.0).await); //~
}

#[derive(Clone, Copy, DeviceType)]
#[repr(C)]
struct Pair {
    a: f32,
    b: f32,
}

#[gpu_device]
impl Pair {
    fn scaled(&self, by: f32) -> f32 {
        (self.a + self.b) * by
    }
}

/// A row of a shared array would be a reference that lasts while other threads write.
mod row_to_async_function {
    use super::*;

    #[gpu_device]
    async fn first(row: &[f32]) -> f32 {
        sync_threads();
        row[0]
    }

    #[gpu_kernel]
    fn kernel(out: &mut [f32]) {
        let mut tile = shared::<[[f32; 8]; 8]>();
        let i = grid_1d();
        tile[i][0] = 1.0;
        out[i] = first(&tile[i]).await; //~
    }

    fn caller() -> gpu_runtime::Result<()> {
        let mut out = Device::cpu().zeros::<f32>(8)?;
        kernel(&mut out).launch(1, 8)
    }
}

/// Floats have no bits to combine.
#[gpu_kernel]
fn warp_bits_of_floats(x: &[f32], out: &mut [f32]) {
    let i = grid_1d();
    out[i] = warp_or(x[i]); //~
}

/// The threads of a warp exchange numbers.
#[gpu_kernel]
fn warp_shuffle_of_tuple(x: &[f32], out: &mut [f32]) {
    let i = grid_1d();
    let (value, _) = warp_shuffle((x[i], i), 0); //~
    out[i] = value;
}

/// Conditions are counted, not added.
#[gpu_kernel]
fn warp_sum_of_conditions(x: &[f32], out: &mut [bool]) {
    let i = grid_1d();
    out[i] = warp_sum(x[i] > 0.0); //~
}

// Callers of what was refused compile.

fn callers_1() -> gpu_runtime::Result<()> {
    let mut out = Device::cpu().zeros::<f32>(8)?;
    await_of_intrinsic(&mut out).launch(1, 8)?;
    await_of_value(&mut out).launch(1, 8)?;
    Ok(())
}

fn callers_2() -> gpu_runtime::Result<()> {
    let device = Device::cpu();
    let x = device.zeros::<f32>(8)?;
    let mut out = device.zeros::<f32>(8)?;
    cuda_barrier(&x, &mut out).launch(1, 8)?;
    warp_bits_of_floats(&x, &mut out).launch(1, 8)?;
    warp_shuffle_of_tuple(&x, &mut out).launch(1, 8)?;
    Ok(())
}

fn callers_3() -> gpu_runtime::Result<()> {
    let device = Device::cpu();
    let mut out = device.zeros::<f32>(8)?;
    cuda_grid_barrier(&mut out).launch(1, 8)?;
    Ok(())
}

fn callers_4() -> gpu_runtime::Result<()> {
    let device = Device::cpu();
    let x = device.zeros::<f32>(8)?;
    let mut out = device.zeros::<bool>(8)?;
    warp_sum_of_conditions(&x, &mut out).launch(1, 8)?;
    Ok(())
}

fn main() {}
