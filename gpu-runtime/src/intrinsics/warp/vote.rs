//! What holds for the threads of a warp, and which of them have the same value.

use super::{WarpValue, warp_functions};
use crate::backend::cpu::{Met, WARP_SIZE};

/// The lanes whose threads brought `true`.
fn ballot(met: Met<'_>) -> u32 {
    (0..WARP_SIZE).filter(|lane| met.get(*lane) == Some(true)).fold(0, |lanes, lane| lanes | 1 << lane)
}

/// The lanes whose threads brought what `lane` did, bit for bit.
fn equals<T: WarpValue>(met: Met<'_>, value: T) -> u32 {
    let same = |lane: &usize| met.get::<T>(*lane).is_some_and(|other| other.into_lane() == value.into_lane());
    (0..WARP_SIZE).filter(same).fold(0, |lanes, lane| lanes | 1 << lane)
}

warp_functions! {
    /// Waits until the other threads of the warp have come here, and makes what they wrote before visible to all of them.
    ///
    /// CUDA: `__syncwarp()`. Numba: `cuda.syncwarp()`. The threads of a warp need it between one's write to shared memory and
    /// another's read, as those of a block need [`sync_threads`](fn@crate::intrinsics::sync_threads).
    ///
    /// Those that have returned do not count. If the others wait elsewhere, that is undefined on a GPU; the CPU backend reports it as
    /// [`FailureCause::DivergentWarp`](crate::FailureCause::DivergentWarp).
    pub fn sync_warp, sync_warp_in() -> ();
    |_met| ()
}

warp_functions! {
    /// Whether `condition` holds for every thread of the warp.
    ///
    /// CUDA: `__all_sync(0xffffffff, condition)`. Numba: `cuda.all_sync(0xffffffff, condition)`.
    ///
    /// As all threads of the warp get the same answer, they may call functions of the warp where it decides.
    pub fn warp_all, warp_all_in(condition: bool) -> bool;
    |met| met.agreed(|| ballot(met) == met.lanes)
}

warp_functions! {
    /// Whether `condition` holds for a thread of the warp.
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
    |met| met.agreed(|| ballot(met) != 0)
}

warp_functions! {
    /// Whether `condition` holds for all threads of the warp or for none.
    ///
    /// CUDA: `__uni_sync(0xffffffff, condition)`. Numba: `cuda.eq_sync(0xffffffff, condition)`.
    pub fn warp_equal, warp_equal_in(condition: bool) -> bool;
    |met| met.agreed(|| ballot(met) == met.lanes || ballot(met) == 0)
}

warp_functions! {
    /// For which threads of the warp `condition` holds, bit i for lane i.
    ///
    /// CUDA: `__ballot_sync(0xffffffff, condition)`. Numba: `cuda.ballot_sync(0xffffffff, condition)`.
    ///
    /// With [`lane_mask_lt`](fn@super::lane_mask_lt) it numbers the threads for which something holds:
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
    /// // SAFETY: within its 32 elements, each thread writes to a place of its own.
    /// unsafe { compact(&x, &mut out).launch(1, 32)? };
    /// assert_eq!(out.to_host()?[..4], [7, 8, 9, 0]);
    /// # Ok::<(), gpu_runtime::Error>(())
    /// ```
    pub fn warp_ballot, warp_ballot_in(condition: bool) -> u32;
    |met| met.agreed(|| ballot(met))
}

warp_functions! {
    /// The lanes of the warp whose threads pass the same `value` as this one, bit for bit: `-0.0` differs from `0.0`, and a NaN
    /// equals itself.
    ///
    /// CUDA: `__match_any_sync(0xffffffff, value)`. Numba: `cuda.match_any_sync(0xffffffff, value)`.
    pub fn warp_match_any, warp_match_any_in[T: WarpValue](value: T) -> u32;
    |met| equals(met, value)
}

warp_functions! {
    /// Whether all threads of the warp pass the same `value`, bit for bit. If so, the mask has their lanes, else it is 0.
    ///
    /// CUDA: `__match_all_sync(0xffffffff, value, &same)`. Numba: `cuda.match_all_sync(0xffffffff, value)`.
    pub fn warp_match_all, warp_match_all_in[T: WarpValue](value: T) -> (u32, bool);
    |met| {
        let same = met.agreed(|| equals(met, value) == met.lanes);
        (if same { met.lanes } else { 0 }, same)
    }
}
