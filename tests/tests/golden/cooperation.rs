//! Barriers of the grid, in a kernel and in what it calls.

// The kernels are read, not launched.
#![allow(dead_code)]

use gpu_runtime::prelude::*;

#[gpu_device]
async fn mirrored<T: Num>(exchange: &mut [T], value: T) -> T {
    let i = grid_1d();
    exchange[i] = value;
    sync_grid();
    exchange[exchange.len() - 1 - i]
}

#[gpu_kernel(block = 64)]
pub(crate) fn grid_barrier(x: &[f32], exchange: &mut [f32], out: &mut [f32], steps: u32) {
    let i = grid_1d();
    if i >= out.len() {
        return;
    }
    let mut value = x[i];
    if value < 0.0 {
        out[i] = value;
        return;
    }
    for _ in 0..steps {
        value += mirrored(exchange, value).await;
        sync_grid();
    }
    out[i] = value;
}

#[gpu_kernel]
pub(crate) fn grid_barrier_without_parameters() {
    sync_grid();
}

/// Two calls in a row use the same array, so its elements are read and written once each, as the function says.
#[gpu_device]
async fn neighbour(value: f32) -> f32 {
    let mut values = shared::<[f32; 64]>();
    let t = thread_idx().x;
    values[t] = value;
    sync_threads();
    values[(t + 1) % 64]
}

#[gpu_kernel(block = 64)]
pub(crate) fn shared_array_of_function(out: &mut [f32]) {
    let i = grid_1d();
    let value = neighbour(i as f32).await;
    let value = neighbour(value).await;
    if i < out.len() {
        out[i] = value;
    }
}

/// An element that is checked, and then is an index.
#[gpu_device]
fn looked_up(keys: &[u32], table: &[f32], i: usize) -> f32 {
    let key = keys[i] as usize;
    if key < table.len() { table[key] } else { 0.0 }
}

#[gpu_device]
fn looked_up_twice(keys: &[u32], table: &[f32], i: usize) -> f32 {
    looked_up(keys, table, i) + looked_up(&keys[1..], table, i / 2)
}

/// No proof says that no two threads write to the same key, so what takes the keys reads each once. What takes `x` alone does not.
#[gpu_kernel(block = 64)]
pub(crate) fn racing_array_of_functions(x: &[u32], table: &[f32], out: &mut [f32]) {
    let mut keys = shared::<[u32; 64]>();
    let (t, i) = (thread_idx().x, grid_1d());
    if i >= x.len() {
        return;
    }
    keys[x[i] as usize % 64] = x[i];
    out[i] = looked_up(x, table, i) + looked_up_twice(&keys, table, t);
}
