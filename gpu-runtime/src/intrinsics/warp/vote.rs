//! Votes of the threads of a warp, and matches of their values.

use super::{WarpValue, warp_functions};
use crate::backend::cpu::{Synchronized, WARP_SIZE};

/// The lanes whose threads passed `true`.
fn ballot(warp: Synchronized<'_>) -> u32 {
    (0..WARP_SIZE).filter(|lane| warp.get(*lane) == Some(true)).fold(0, |lanes, lane| lanes | 1 << lane)
}

/// The lanes whose threads passed the same bits as `lane`.
fn equals<T: WarpValue>(warp: Synchronized<'_>, value: T) -> u32 {
    let same = |lane: &usize| warp.get::<T>(*lane).is_some_and(|other| other.into_lane() == value.into_lane());
    (0..WARP_SIZE).filter(same).fold(0, |lanes, lane| lanes | 1 << lane)
}

warp_functions! {
    /// Synchronizes the threads of the warp: waits until all of them reach this call, and makes their earlier writes visible to all of
    /// them.
    ///
    /// CUDA: `__syncwarp()`. Numba: `cuda.syncwarp()`. It is needed between a write to shared memory by one thread of the warp and a read
    /// by another, as [`sync_threads`](fn@crate::intrinsics::sync_threads) is needed in a block.
    ///
    /// Threads that have returned are ignored. If the other threads wait at another place, the behaviour on a GPU is undefined; the CPU
    /// backend reports [`FailureCause::DivergentWarp`](crate::FailureCause::DivergentWarp).
    pub fn sync_warp, sync_warp_in() -> ();
    |_met| ()
}

warp_functions! {
    /// Whether `condition` holds for every thread of the warp.
    ///
    /// CUDA: `__all_sync(0xffffffff, condition)`. Numba: `cuda.all_sync(0xffffffff, condition)`.
    ///
    /// All threads of the warp get the same result, so a warp function may be under a condition on it.
    pub fn warp_all, warp_all_in(condition: bool) -> bool;
    |warp| warp.agreed(|| ballot(warp) == warp.lanes)
}

warp_functions! {
    /// Whether `condition` holds for any thread of the warp.
    ///
    /// CUDA: `__any_sync(0xffffffff, condition)`. Numba: `cuda.any_sync(0xffffffff, condition)`.
    ///
    /// ```
    /// use gpu_runtime::prelude::*;
    ///
    /// /// How many times each element can be halved before all of its warp are odd.
    /// #[gpu_kernel]
    /// fn halvings(x: &[u32], out: &mut [u32]) {
    ///     let i = grid_1d();
    ///     let mut rest = if i < x.len() { x[i] } else { 1 };
    ///     let mut count = 0;
    ///     while warp_any(rest % 2 == 0) {
    ///         if rest % 2 == 0 {
    ///             rest /= 2;
    ///         }
    ///         count += 1;
    ///     }
    ///     if i < out.len() {
    ///         out[i] = count;
    ///     }
    /// }
    ///
    /// let device = Device::cpu();
    /// let x = device.to_device(&(1..=64).collect::<Vec<u32>>())?;
    /// let mut out = device.zeros::<u32>(64)?;
    /// halvings(&x, &mut out).launch(1, 64)?;
    /// assert_eq!(out.to_host()?[31..33], [5, 6]);
    /// # Ok::<(), gpu_runtime::Error>(())
    /// ```
    pub fn warp_any, warp_any_in(condition: bool) -> bool;
    |warp| warp.agreed(|| ballot(warp) != 0)
}

warp_functions! {
    /// Whether `condition` holds for all threads of the warp or for none.
    ///
    /// CUDA: `__uni_sync(0xffffffff, condition)`. Numba: `cuda.eq_sync(0xffffffff, condition)`.
    pub fn warp_equal, warp_equal_in(condition: bool) -> bool;
    |warp| warp.agreed(|| ballot(warp) == warp.lanes || ballot(warp) == 0)
}

warp_functions! {
    /// The threads of the warp for which `condition` holds, as a mask: bit i is lane i.
    ///
    /// CUDA: `__ballot_sync(0xffffffff, condition)`. Numba: `cuda.ballot_sync(0xffffffff, condition)`.
    ///
    /// With [`lane_mask_lt`](fn@super::lane_mask_lt), it numbers the threads for which a condition holds:
    ///
    /// ```
    /// use gpu_runtime::prelude::*;
    ///
    /// /// Moves the positive elements of each 32 to the front.
    /// #[gpu_kernel(block = 32)]
    /// fn compact(x: &[i32], out: &mut [i32]) {
    ///     let i = grid_1d();
    ///     let kept = i < x.len() && x[i] > 0;
    ///     let place = (warp_ballot(kept) & lane_mask_lt()).count_ones() as usize;
    ///     if kept {
    ///         out[block_idx().x * 32 + place] = x[i];
    ///     }
    /// }
    ///
    /// let device = Device::cpu();
    /// let x = device.to_device(&[-1, 7, -2, 8, 9])?;
    /// let mut out = device.zeros::<i32>(32)?;
    /// // SAFETY: within the 32 elements of the warp, each thread writes to a different place.
    /// unsafe { compact(&x, &mut out).launch_unchecked(1, 32)? };
    /// assert_eq!(out.to_host()?[..4], [7, 8, 9, 0]);
    /// # Ok::<(), gpu_runtime::Error>(())
    /// ```
    pub fn warp_ballot, warp_ballot_in(condition: bool) -> u32;
    |warp| warp.agreed(|| ballot(warp))
}

warp_functions! {
    /// The lanes of the warp whose threads pass the same `value` as this one, bit for bit: `-0.0` differs from `0.0`, and a NaN
    /// equals itself.
    ///
    /// CUDA: `__match_any_sync(0xffffffff, value)`. Numba: `cuda.match_any_sync(0xffffffff, value)`.
    pub fn warp_match_any, warp_match_any_in[T: WarpValue](value: T) -> u32;
    |warp| equals(warp, value)
}

warp_functions! {
    /// Whether all threads of the warp pass the same `value`, bit for bit. If so, the mask has their lanes, else it is 0.
    ///
    /// CUDA: `__match_all_sync(0xffffffff, value, &same)`. Numba: `cuda.match_all_sync(0xffffffff, value)`.
    pub fn warp_match_all, warp_match_all_in[T: WarpValue](value: T) -> (u32, bool);
    |warp| {
        let same = warp.agreed(|| equals(warp, value) == warp.lanes);
        (if same { warp.lanes } else { 0 }, same)
    }
}
