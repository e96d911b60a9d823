//! Functions that all threads of a block compute together, written in the kernel language itself.
//!
//! All threads of the block must call them, at the same place, and await the result: `block_sum(x).await`. Reductions and scans use one
//! shared array of 32 elements and two barriers; a histogram is counted in the array that is passed. The block can have any shape up to
//! 1024 threads; its threads are numbered with `x` running fastest, then `y`, then `z`.
//!
//! If threads of the block have returned before the call, the function fails with a message.
//!
//! CUDA C++: `cub::BlockReduce`, `cub::BlockScan`, `cub::BlockHistogram`. Numba has no counterpart.

use std::sync::atomic::{AtomicU32, Ordering};

use crate::prelude::*;

/// The sum of the values that the threads of the block pass. Integers wrap around.
///
/// Floats are added in the same order on both backends and in every block of the same size: within the warps as by
/// [`warp_sum`](fn@warp_sum), then warp by warp.
///
/// ```
/// use gpu_runtime::block::block_sum;
/// use gpu_runtime::prelude::*;
///
/// /// The mean of each 256 elements, subtracted from them.
/// #[gpu_kernel(block = 256)]
/// fn centre(x: &[f32], out: &mut [f32]) {
///     let i = grid_1d();
///     let value = if i < x.len() { x[i] } else { 0.0 };
///     let mean = block_sum(value).await / 256.0;
///     if i < out.len() {
///         out[i] = value - mean;
///     }
/// }
///
/// let device = Device::cpu();
/// let x = device.to_device(&(0..512).map(|i| i as f32).collect::<Vec<_>>())?;
/// let mut out = device.zeros::<f32>(512)?;
/// centre(&x, &mut out).launch(2, 256)?;
/// assert_eq!(out.to_host()?[255..257], [127.5, -127.5]);
/// # Ok::<(), gpu_runtime::Error>(())
/// ```
///
/// # Panics
///
/// If called outside a kernel.
#[gpu_device]
pub async fn block_sum<T: Num>(value: T) -> T {
    let mut sums = shared::<[T; 32]>();
    let own = warp_sum(value);
    if lane_id() == 0 {
        sums[warp_id()] = own;
    }
    let threads = block_dim().x * block_dim().y * block_dim().z;
    assert!(sync_threads_count(true) == threads, "all threads of the block must reach `block_sum`");
    let mut sum = sums[0];
    for warp in 1..(threads + 31) / 32 {
        sum += sums[warp];
    }
    // The next call writes to the array.
    sync_threads();
    sum
}

/// The smallest of the values that the threads of the block pass. NaN is ignored, unless all values are NaN.
///
/// See [`block_sum`](fn@block_sum) for an example.
///
/// # Panics
///
/// If called outside a kernel.
#[gpu_device]
pub async fn block_min<T: Num>(value: T) -> T {
    let mut values = shared::<[T; 32]>();
    let own = warp_min(value);
    if lane_id() == 0 {
        values[warp_id()] = own;
    }
    let threads = block_dim().x * block_dim().y * block_dim().z;
    assert!(sync_threads_count(true) == threads, "all threads of the block must reach `block_min`");
    let mut smallest = values[0];
    for warp in 1..(threads + 31) / 32 {
        smallest = smallest.min(values[warp]);
    }
    sync_threads();
    smallest
}

/// The largest of the values that the threads of the block pass. NaN is ignored, unless all values are NaN.
///
/// See [`block_sum`](fn@block_sum) for an example.
///
/// # Panics
///
/// If called outside a kernel.
#[gpu_device]
pub async fn block_max<T: Num>(value: T) -> T {
    let mut values = shared::<[T; 32]>();
    let own = warp_max(value);
    if lane_id() == 0 {
        values[warp_id()] = own;
    }
    let threads = block_dim().x * block_dim().y * block_dim().z;
    assert!(sync_threads_count(true) == threads, "all threads of the block must reach `block_max`");
    let mut largest = values[0];
    for warp in 1..(threads + 31) / 32 {
        largest = largest.max(values[warp]);
    }
    sync_threads();
    largest
}

/// The sum of the thread's value and those of the threads before it in the block: an inclusive scan.
///
/// ```
/// use gpu_runtime::block::block_scan;
/// use gpu_runtime::prelude::*;
///
/// /// Running sums of each 64 elements.
/// #[gpu_kernel(block = 64)]
/// fn running(x: &[u32], out: &mut [u32]) {
///     let i = grid_1d();
///     let sum = block_scan(if i < x.len() { x[i] } else { 0 }).await;
///     if i < out.len() {
///         out[i] = sum;
///     }
/// }
///
/// let device = Device::cpu();
/// let x = device.to_device(&vec![2; 100])?;
/// let mut out = device.zeros::<u32>(100)?;
/// running(&x, &mut out).launch(2, 64)?;
/// assert_eq!(out.to_host()?[62..66], [126, 128, 2, 4]);
/// # Ok::<(), gpu_runtime::Error>(())
/// ```
///
/// # Panics
///
/// If called outside a kernel.
#[gpu_device]
pub async fn block_scan<T: Num>(value: T) -> T {
    let own = scan_in_warp(value).await;
    sum_of_warps_before(own).await + own
}

/// The sum of the values of the threads before this one in the block, 0 in the first: an exclusive scan.
///
/// # Panics
///
/// If called outside a kernel.
#[gpu_device]
pub async fn block_scan_exclusive<T: Num>(value: T) -> T {
    let own = scan_in_warp(value).await;
    let before = warp_shuffle_up(own, 1);
    let offset = sum_of_warps_before(own).await;
    if lane_id() == 0 { offset } else { offset + before }
}

/// The inclusive scan of each warp.
#[gpu_device]
async fn scan_in_warp<T: Num>(value: T) -> T {
    let mut sum = value;
    let mut distance = 1;
    while distance < WARP_SIZE {
        let before = warp_shuffle_up(sum, distance);
        if lane_id() >= distance {
            sum = before + sum;
        }
        distance *= 2;
    }
    sum
}

/// The sum of all values in the warps before the thread's warp. The thread passes its inclusive scan.
#[gpu_device]
async fn sum_of_warps_before<T: Num>(scanned: T) -> T {
    let mut sums = shared::<[T; 32]>();
    if lane_id() == 31 {
        sums[warp_id()] = scanned;
    }
    let threads = block_dim().x * block_dim().y * block_dim().z;
    assert!(sync_threads_count(true) == threads, "all threads of the block must reach `block_scan`");
    let mut sum = T::ZERO;
    for warp in 0..warp_id() {
        sum += sums[warp];
    }
    sync_threads();
    sum
}

/// Counts for each bin the threads of the block that pass it. `counts` has an element for each bin; a thread that passes the number of bins
/// or more is not counted.
///
/// The counts are those of this call only; earlier contents of the array are overwritten. Every thread may read them after the call.
///
/// CUDA C++: `cub::BlockHistogram`.
///
/// ```
/// use std::sync::atomic::{AtomicU32, Ordering};
///
/// use gpu_runtime::block::block_histogram;
/// use gpu_runtime::prelude::*;
///
/// /// Counts each of four numbers in every 64 elements.
/// #[gpu_kernel(block = 64)]
/// fn count(x: &[u32], out: &mut [u32]) {
///     let counts = shared::<[AtomicU32; 4]>();
///     let i = grid_1d();
///     block_histogram(if i < x.len() { x[i] as usize } else { 4 }, &counts).await;
///     if thread_idx().x < 4 {
///         out[block_idx().x * 4 + thread_idx().x] = counts[thread_idx().x].load(Ordering::Relaxed);
///     }
/// }
///
/// let device = Device::cpu();
/// let x = device.to_device(&(0..100).map(|i| i % 3).collect::<Vec<u32>>())?;
/// let mut out = device.zeros::<u32>(8)?;
/// // SAFETY: the first four threads of a block write one element each.
/// unsafe { count(&x, &mut out).launch_unchecked(2, 64)? };
/// assert_eq!(out.to_host()?, [22, 21, 21, 0, 12, 12, 12, 0]);
/// # Ok::<(), gpu_runtime::Error>(())
/// ```
///
/// # Panics
///
/// If called outside a kernel.
#[gpu_device]
pub async fn block_histogram(bin: usize, counts: &[AtomicU32]) {
    let (t, size) = (thread_idx(), block_dim());
    let threads = size.x * size.y * size.z;
    // Whoever reads the counts of the call before is done.
    sync_threads();
    for place in ((t.z * size.y + t.y) * size.x + t.x..counts.len()).step_by(threads) {
        counts[place].store(0, Ordering::Relaxed);
    }
    assert!(sync_threads_count(true) == threads, "all threads of the block must reach `block_histogram`");
    if bin < counts.len() {
        counts[bin].fetch_add(1, Ordering::Relaxed);
    }
    sync_threads();
}
