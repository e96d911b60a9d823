//! Reductions over the threads of a warp.
//!
//! Both backends combine the values in the same order, so that sums of floats have the same bits: in a full warp, the values 16 lanes
//! apart, then 8, 4, 2 and 1; among fewer threads, from the lowest lane to the highest.

use super::{WarpValue, warp_functions};
use crate::backend::cpu::{ALL_LANES, Synchronized, WARP_SIZE};
use crate::ops;
use crate::scalar::{Integer, Num};

/// The values of all threads, combined by `combine`.
fn reduce<T: WarpValue>(warp: Synchronized<'_>, combine: impl Fn(T, T) -> T) -> T {
    warp.agreed(|| {
        if warp.lanes != ALL_LANES {
            return warp.values().reduce(combine).expect("a thread synchronizes with itself at least");
        }
        let mut values = std::array::from_fn::<T, WARP_SIZE, _>(|lane| warp.get(lane).expect("the warp is full"));
        for distance in [16, 8, 4, 2, 1] {
            for lane in 0..distance {
                values[lane] = combine(values[lane], values[lane + distance]);
            }
        }
        values[0]
    })
}

warp_functions! {
    /// The sum of the values that the threads of the warp pass. Integers wrap around.
    ///
    /// CUDA: `__reduce_add_sync` for integers of up to 32 bits, on devices that have it; otherwise, five shuffles.
    ///
    /// ```
    /// use gpu_runtime::prelude::*;
    ///
    /// /// The sum of each 32 elements.
    /// #[gpu_kernel]
    /// fn sums(x: &[f64], out: &mut [f64]) {
    ///     let i = grid_1d();
    ///     let sum = warp_sum(if i < x.len() { x[i] } else { 0.0 });
    ///     if i < x.len() {
    ///         out[i] = sum;
    ///     }
    /// }
    ///
    /// let device = Device::cpu();
    /// let x = device.to_device(&(0..64).map(f64::from).collect::<Vec<_>>())?;
    /// let mut out = device.zeros::<f64>(64)?;
    /// sums(&x, &mut out).launch(1, 64)?;
    /// assert_eq!(out.to_host()?[31..33], [496.0, 1520.0]);
    /// # Ok::<(), gpu_runtime::Error>(())
    /// ```
    pub fn warp_sum, warp_sum_in[T: Num](value: T) -> T;
    |warp| reduce(warp, ops::add::<T>)
}

warp_functions! {
    /// The smallest of the values that the threads of the warp pass. NaN is ignored, unless all values are NaN.
    ///
    /// CUDA: `__reduce_min_sync`.
    pub fn warp_min, warp_min_in[T: Num](value: T) -> T;
    |warp| reduce(warp, T::min)
}

warp_functions! {
    /// The largest of the values that the threads of the warp pass. NaN is ignored, unless all values are NaN.
    ///
    /// CUDA: `__reduce_max_sync`.
    pub fn warp_max, warp_max_in[T: Num](value: T) -> T;
    |warp| reduce(warp, T::max)
}

warp_functions! {
    /// The bitwise and of the values that the threads of the warp pass.
    ///
    /// CUDA: `__reduce_and_sync`.
    pub fn warp_and, warp_and_in[T: Integer](value: T) -> T;
    |warp| reduce(warp, |a: T, b| a & b)
}

warp_functions! {
    /// The bitwise or of the values that the threads of the warp pass.
    ///
    /// CUDA: `__reduce_or_sync`.
    pub fn warp_or, warp_or_in[T: Integer](value: T) -> T;
    |warp| reduce(warp, |a: T, b| a | b)
}

warp_functions! {
    /// The bitwise exclusive or of the values that the threads of the warp pass.
    ///
    /// CUDA: `__reduce_xor_sync`.
    pub fn warp_xor, warp_xor_in[T: Integer](value: T) -> T;
    |warp| reduce(warp, |a: T, b| a ^ b)
}
