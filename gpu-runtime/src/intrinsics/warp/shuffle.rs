//! Reading another thread's value.

use super::{WarpValue, warp_functions};
use crate::backend::cpu::WARP_SIZE;

warp_functions! {
    /// The `value` that the thread with this lane passes.
    ///
    /// CUDA: `__shfl_sync(0xffffffff, value, lane)`. Numba: `cuda.shfl_sync(0xffffffff, value, lane)`.
    ///
    /// `lane` is taken modulo 32. If no thread with that lane participates, because it has returned or does not exist, the result is
    /// unspecified on a GPU, and the thread's own `value` on the CPU.
    ///
    /// ```
    /// use gpu_runtime::prelude::*;
    ///
    /// /// Each warp gets the first of its elements.
    /// #[gpu_kernel]
    /// fn broadcast(x: &[f32], out: &mut [f32]) {
    ///     let i = grid_1d();
    ///     let first = warp_shuffle(if i < x.len() { x[i] } else { 0.0 }, 0);
    ///     if i < out.len() {
    ///         out[i] = first;
    ///     }
    /// }
    ///
    /// let device = Device::cpu();
    /// let x = device.to_device(&(0..64).map(|i| i as f32).collect::<Vec<_>>())?;
    /// let mut out = device.zeros::<f32>(64)?;
    /// broadcast(&x, &mut out).launch(1, 64)?;
    /// assert_eq!(out.to_host()?[30..34], [0.0, 0.0, 32.0, 32.0]);
    /// # Ok::<(), gpu_runtime::Error>(())
    /// ```
    pub fn warp_shuffle, warp_shuffle_in[T: WarpValue](value: T; lane: usize) -> T;
    |warp| warp.get(lane % WARP_SIZE).unwrap_or(value)
}

warp_functions! {
    /// The `value` of the thread whose lane is smaller by `delta`; in the lanes below `delta`, the thread's own.
    ///
    /// CUDA: `__shfl_up_sync(0xffffffff, value, delta)`. Numba: `cuda.shfl_up_sync(0xffffffff, value, delta)`.
    ///
    /// If that thread does not reach this call, the result is unspecified on a GPU, and the thread's own `value` on the CPU.
    ///
    /// ```
    /// use gpu_runtime::prelude::*;
    ///
    /// /// The sum of each element and all before it in its warp, in five steps.
    /// #[gpu_kernel]
    /// fn running_sums(x: &[u32], out: &mut [u32]) {
    ///     let i = grid_1d();
    ///     let mut sum = if i < x.len() { x[i] } else { 0 };
    ///     let mut delta = 1;
    ///     while delta < WARP_SIZE {
    ///         let before = warp_shuffle_up(sum, delta);
    ///         if lane_id() >= delta {
    ///             sum += before;
    ///         }
    ///         delta *= 2;
    ///     }
    ///     if i < out.len() {
    ///         out[i] = sum;
    ///     }
    /// }
    ///
    /// let device = Device::cpu();
    /// let x = device.to_device(&vec![1; 64])?;
    /// let mut out = device.zeros::<u32>(64)?;
    /// running_sums(&x, &mut out).launch(1, 64)?;
    /// assert_eq!(out.to_host()?[30..34], [31, 32, 1, 2]);
    /// # Ok::<(), gpu_runtime::Error>(())
    /// ```
    pub fn warp_shuffle_up, warp_shuffle_up_in[T: WarpValue](value: T; delta: usize) -> T;
    |warp| warp.lane.checked_sub(delta).and_then(|lane| warp.get(lane)).unwrap_or(value)
}

warp_functions! {
    /// The `value` of the thread whose lane is larger by `delta`; in the last `delta` lanes, the thread's own.
    ///
    /// CUDA: `__shfl_down_sync(0xffffffff, value, delta)`. Numba: `cuda.shfl_down_sync(0xffffffff, value, delta)`.
    ///
    /// If that thread does not reach this call, the result is unspecified on a GPU, and the thread's own `value` on the CPU.
    pub fn warp_shuffle_down, warp_shuffle_down_in[T: WarpValue](value: T; delta: usize) -> T;
    |warp| warp.lane.checked_add(delta).and_then(|lane| warp.get(lane)).unwrap_or(value)
}

warp_functions! {
    /// The `value` of the thread with the lane `lane_id() ^ bits`.
    ///
    /// CUDA: `__shfl_xor_sync(0xffffffff, value, bits)`. Numba: `cuda.shfl_xor_sync(0xffffffff, value, bits)`.
    ///
    /// `bits` is taken modulo 32. If that thread does not participate, the result is unspecified on a GPU, and the thread's own `value` on
    /// the CPU.
    pub fn warp_shuffle_xor, warp_shuffle_xor_in[T: WarpValue](value: T; bits: usize) -> T;
    |warp| warp.get(warp.lane ^ (bits % WARP_SIZE)).unwrap_or(value)
}
