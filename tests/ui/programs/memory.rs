//! Shared memory and constant arrays.

use gpu_runtime::prelude::*;

/// Memory begins with any bytes, of which most are no `bool`.
#[gpu_kernel]
fn array_of_bool(x: &[u32], n: usize, out: &mut [u32]) {
    let tile = dynamic_shared::<bool>(n); //~
    let i = grid_1d();
    if i < out.len() {
        out[i] = x[i] + tile.len() as u32;
    }
}

/// A constant array is read.
mod constant_assigned {
    use super::*;

    const TABLE: [u32; 3] = [1, 2, 3];

    #[gpu_kernel]
    fn kernel(x: &[u32], n: usize, out: &mut [u32]) {
        let i = grid_1d();
        if i < out.len() && i < n {
            TABLE[i % 3] = x[i]; //~
            out[i] = TABLE[i % 3];
        }
    }

    fn caller() -> gpu_runtime::Result<()> {
        let device = Device::cpu();
        let x = device.zeros::<u32>(8)?;
        let mut out = device.zeros::<u32>(8)?;
        kernel(&x, 4, &mut out).launch(1, 8)
    }
}

/// Where an array lies does not depend on what threads do.
#[gpu_kernel]
fn declared_in_a_branch(x: &[u32], n: usize, out: &mut [u32]) {
    let i = grid_1d();
    if i < out.len() {
        let tile = dynamic_shared::<u32>(n); //~
        out[i] = x[i] + tile.len() as u32;
    }
}

/// Only a launch knows how much there is.
mod in_a_device_function {
    use super::*;

    #[gpu_device]
    fn count(n: usize) -> u32 {
        let tile = dynamic_shared::<u32>(n); //~
        tile.len() as u32
    }

    #[gpu_kernel]
    fn kernel(x: &[u32], n: usize, out: &mut [u32]) {
        let i = grid_1d();
        if i < out.len() {
            out[i] = x[i] + count(n);
        }
    }

    fn caller() -> gpu_runtime::Result<()> {
        let device = Device::cpu();
        let x = device.zeros::<u32>(8)?;
        let mut out = device.zeros::<u32>(8)?;
        kernel(&x, 4, &mut out).launch(1, 8)
    }
}

/// The launch would have to follow what the kernel does.
#[gpu_kernel]
fn length_assigned(x: &[u32], n: usize, out: &mut [u32]) {
    let mut count = n;
    if x.len() > 4 {
        count += 1;
    }
    let tile = dynamic_shared::<u32>(count); //~
    let i = grid_1d();
    if i < out.len() {
        out[i] = tile.len() as u32;
    }
}

/// A user's `IndexMut` may change any field.
mod length_in_what_an_index_changes {
    use super::*;
    use std::ops::{Index, IndexMut};

    #[derive(Clone, Copy, DeviceType)]
    #[repr(C)]
    struct Sizes {
        rows: usize,
    }

    #[gpu_device]
    impl Index<usize> for Sizes {
        type Output = usize;
        fn index(&self, _axis: usize) -> &usize {
            &self.rows
        }
    }

    #[gpu_device]
    impl IndexMut<usize> for Sizes {
        fn index_mut(&mut self, _axis: usize) -> &mut usize {
            &mut self.rows
        }
    }

    #[gpu_kernel]
    fn kernel(mut sizes: Sizes, out: &mut [u32]) {
        sizes[0] += 1;
        let tile = dynamic_shared::<u32>(sizes.rows); //~
        let i = grid_1d();
        if i < out.len() {
            out[i] = tile.len() as u32;
        }
    }
}

/// A launch gives all blocks the same memory.
#[gpu_kernel]
fn length_differs_between_blocks(x: &[u32], n: usize, out: &mut [u32]) {
    let b = block_idx();
    let count = b.x * n;
    let tile = dynamic_shared::<u32>(count); //~
    let i = grid_1d();
    if i < out.len() {
        out[i] = x[i] + tile.len() as u32;
    }
}

/// All threads of a block see one array.
#[gpu_kernel]
fn length_differs_between_threads(x: &[u32], n: usize, out: &mut [u32]) {
    let tile = dynamic_shared::<u32>(thread_idx().x + 1); //~
    let i = grid_1d();
    if i < out.len() && i < n {
        out[i] = x[i] + tile.len() as u32;
    }
}

/// The launch does not read arrays.
#[gpu_kernel]
fn length_from_memory(x: &[u32], n: usize, out: &mut [u32]) {
    let tile = dynamic_shared::<u32>(x[0] as usize); //~
    let i = grid_1d();
    if i < out.len() && i < n {
        out[i] = tile.len() as u32;
    }
}

/// A length is a `usize`.
#[gpu_kernel]
fn length_of_another_type(x: &[u32], n: usize, out: &mut [u32]) {
    let tile = dynamic_shared::<u32>(n as u32); //~
    let i = grid_1d();
    if i < out.len() {
        out[i] = x[i] + tile.len() as u32;
    }
}

/// Inference does not look at what an array is used for.
#[gpu_kernel]
fn missing_element_type(x: &[u32], n: usize, out: &mut [u32]) {
    let tile = dynamic_shared(n); //~
    let i = grid_1d();
    if i < out.len() {
        out[i] = x[i] + tile.len() as u32;
    }
}

/// The type does not have the length.
#[gpu_kernel]
fn missing_length(x: &[u32], n: usize, out: &mut [u32]) {
    let tile = dynamic_shared::<u32>(); //~
    let i = grid_1d();
    if i < out.len() && i < n {
        out[i] = x[i] + tile.len() as u32;
    }
}

/// Shared memory has a name of its own.
mod shared_as_an_argument {
    use super::*;

    #[gpu_device]
    async fn sum(tile: &mut [f32], x: f32) -> f32 {
        let t = thread_idx().x;
        tile[t] = x;
        sync_threads();
        tile[0] + tile[t]
    }

    #[gpu_kernel(block = 256)]
    fn kernel(out: &mut [f32]) {
        let i = grid_1d();
        out[i] = sum(shared::<[f32; 256]>(), 1.0).await; //~
    }

    fn caller() -> gpu_runtime::Result<()> {
        let device = Device::cpu();
        let mut out = device.zeros::<f32>(8)?;
        kernel(&mut out).launch(1, 8)
    }
}

/// Shared memory has a name of its own.
#[gpu_kernel]
fn shared_in_a_tuple(out: &mut [f32]) {
    let i = grid_1d();
    let both = (shared::<[f32; 4]>(), 1); //~
    out[i] = both.1 as f32;
}

/// Arrays of two lengths are not exchanged.
#[gpu_kernel(block = 32)]
fn exchanged_lengths(out: &mut [f32]) {
    let mut a = shared::<[f32; 32]>();
    let mut b = shared::<[f32; 64]>();
    let t = thread_idx().x;
    (a[t], b[t]) = (1.0, 2.0);
    sync_threads();
    std::mem::swap(&mut a, &mut b); //~
    if t < out.len() {
        out[t] = a[t];
    }
}

/// Numba's `shared.array(256, float32)`.
#[gpu_kernel]
fn shared_arguments(x: &[f32], out: &mut [f32]) {
    let i = grid_1d();
    if i < out.len() {
        out[i] = x[i];
        let mut tile = shared(256); //~
    }
}

/// Shared memory is declared in kernels.
mod shared_in_device_function {
    use super::*;

    #[gpu_device]
    fn helper(v: f32) -> f32 {
        let tile = shared::<[f32; 32]>(); //~
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

/// Shared memory is an array.
#[gpu_kernel]
fn shared_scalar(out: &mut [f32]) {
    let mut tile = shared::<Option<f32>>(); //~
    out[grid_1d()] = 1.0;
}

/// A shared array has a constant length.
#[gpu_kernel]
fn shared_without_length(x: &[f32], out: &mut [f32]) {
    let i = grid_1d();
    if i < out.len() {
        out[i] = x[i];
        let mut tile = shared::<[f32]>(); //~
    }
}

/// `shared` needs the type of the array.
#[gpu_kernel]
fn shared_without_type(out: &mut [f32]) {
    let mut tile = shared(); //~
    out[grid_1d()] = 1.0;
}

// Callers of what was refused compile.

fn callers_1() -> gpu_runtime::Result<()> {
    let device = Device::cpu();
    let x = device.zeros::<u32>(8)?;
    let mut out = device.zeros::<u32>(8)?;
    array_of_bool(&x, 4, &mut out).launch(1, 8)?;
    declared_in_a_branch(&x, 4, &mut out).launch(1, 8)?;
    length_assigned(&x, 4, &mut out).launch(1, 8)?;
    length_differs_between_blocks(&x, 4, &mut out).launch(1, 8)?;
    length_differs_between_threads(&x, 4, &mut out).launch(1, 8)?;
    length_from_memory(&x, 4, &mut out).launch(1, 8)?;
    length_of_another_type(&x, 4, &mut out).launch(1, 8)?;
    missing_element_type(&x, 4, &mut out).launch(1, 8)?;
    missing_length(&x, 4, &mut out).launch(1, 8)?;
    Ok(())
}

fn callers_2() -> gpu_runtime::Result<()> {
    let device = Device::cpu();
    let mut out = device.zeros::<f32>(8)?;
    shared_in_a_tuple(&mut out).launch(1, 8)?;
    shared_scalar(&mut out).launch(1, 8)?;
    shared_without_type(&mut out).launch(1, 8)?;
    Ok(())
}

fn callers_3() -> gpu_runtime::Result<()> {
    let device = Device::cpu();
    let x = device.zeros::<f32>(8)?;
    let mut out = device.zeros::<f32>(8)?;
    shared_arguments(&x, &mut out).launch(1, 8)?;
    shared_without_length(&x, &mut out).launch(1, 8)?;
    Ok(())
}

fn main() {}
