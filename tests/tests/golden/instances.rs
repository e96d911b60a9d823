//! What is compiled for each use: instances of generic functions, and closures, over values of every kind.

// The kernels are read, not launched.
#![allow(dead_code)]

use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

use gpu_runtime::prelude::*;

#[derive(Clone, Copy, DeviceType)]
#[repr(C)]
pub(crate) struct Reading {
    at: [f32; 2],
    count: u32,
}

#[gpu_kernel]
pub(crate) fn closures_of_values(a: View<f32, 2>, origin: Reading, counts: &[AtomicU32], out: &mut [Reading]) {
    let i = grid_1d();
    let height = |reading: Reading| reading.at[1] - origin.at[1];
    let place = |reading: Reading| reading.at;
    let seen = move |bin: u32| match counts[bin as usize].fetch_add(origin.count, Relaxed) {
        0 => None,
        n => Some(n),
    };
    let found = |row: usize| {
        println!("{row} of {}", a.shape()[0]);
        a[[row, 1]]
    };
    if i < out.len() {
        let count = seen(3).unwrap_or(7);
        let at = place(out[i]);
        out[i] = Reading { at: [at[1], height(out[i]) + found(i)], count };
    }
}

#[gpu_device]
async fn neighbour<T: Num, F: Fn(T) -> T, const N: usize>(value: T, f: F) -> T {
    let mut tile = shared::<[T; N]>();
    let t = thread_idx().x;
    tile[t] = f(value);
    sync_threads();
    tile[(t + 1) % N]
}

#[gpu_kernel(block = N, launch_bounds = (N, 4))]
pub(crate) fn waiting_instance<T: Num, const N: u32>(x: View<T, 1>, counts: &[AtomicU32], out: &mut [T]) {
    let i = grid_1d();
    let next = neighbour::<T, _, 32>(x[[i]], |v: T| v + T::ONE).await;
    #[unroll(N)]
    for k in 0..N {
        counts[k as usize].fetch_max(k, Relaxed);
    }
    if i < out.len() {
        out[i] = next;
    }
}
