//! Shared memory and barriers of a block.

use crate::backend::cpu::{Shared, SharedArray, outside_kernel};

/// An array in shared memory, which all threads of the block share.
///
/// CUDA: `__shared__ float tile[256]`. Numba: `cuda.shared.array(256, float32)`.
///
/// `A` is an array of numbers or `bool`s whose length is constant, or an array of such arrays: `shared::<[f32; 256]>()`,
/// `shared::<[[f32; 16]; 16]>()`. Its contents are undefined until a thread writes them; the CPU backend fills an array with conspicuous
/// values (`NaN` for floats) when its block starts. Call [`sync_threads`] between a write by one thread and a read by another.
///
/// ```
/// use gpu_runtime::prelude::*;
///
/// /// Reverses each run of four elements.
/// #[gpu_kernel]
/// fn reverse_blocks(x: &[i32], out: &mut [i32]) {
///     let mut tile = shared::<[i32; 4]>();
///     let t = thread_idx().x;
///     let i = grid_1d();
///     tile[t] = x[i];
///     sync_threads();
///     out[i] = tile[3 - t];
/// }
///
/// let device = Device::cpu();
/// let x = device.to_device(&[1, 2, 3, 4, 5, 6, 7, 8])?;
/// let mut out = device.zeros::<i32>(8)?;
/// reverse_blocks(&x, &mut out).launch(2, 4)?;
/// assert_eq!(out.to_host()?, [4, 3, 2, 1, 8, 7, 6, 5]);
/// # Ok::<(), gpu_runtime::Error>(())
/// ```
///
/// # Panics
///
/// If called outside a kernel.
#[track_caller]
pub fn shared<A: SharedArray>() -> Shared<'static, A> {
    outside_kernel("shared")
}

#[doc(hidden)]
pub mod shared {
    use std::any::TypeId;

    use crate::backend::cpu::{Shared, SharedArray, Thread};

    crate::intrinsics::meant!();

    /// # Safety
    ///
    /// A reference to an element does not last across a barrier, nor while the thread uses another handle to the array.
    #[inline]
    pub unsafe fn __intrinsic<'b, A: SharedArray>(thread: &Thread<'b>, slot: usize) -> Shared<'b, A> {
        thread.launch("shared");
        // SAFETY: the caller guarantees the same.
        unsafe { thread.shared(slot) }
    }

    /// The array in this slot of a device function's instance.
    ///
    /// # Safety
    ///
    /// As for `__intrinsic`.
    #[inline]
    pub unsafe fn __of_function<'b, A: SharedArray>(thread: &Thread<'b>, function: TypeId, slot: usize) -> Shared<'b, A> {
        thread.launch("shared");
        // SAFETY: the caller guarantees the same.
        unsafe { thread.shared_of_function(function, slot) }
    }
}

/// Synchronizes the threads of the block: waits until all of them reach this call, and makes their earlier writes visible to all of them.
///
/// CUDA: `__syncthreads()`. Numba: `cuda.syncthreads()`.
///
/// All threads of the block must call it at the same place and equally often, except for threads that have returned from the kernel.
/// Otherwise, the behaviour on a GPU is undefined. The CPU backend reports
/// [`FailureCause::DivergentBarrier`](crate::FailureCause::DivergentBarrier), with both places.
///
/// See [`shared`] for an example.
///
/// # Panics
///
/// If called outside a kernel.
#[track_caller]
pub fn sync_threads() {
    outside_kernel("sync_threads")
}

#[doc(hidden)]
pub mod sync_threads {
    use crate::backend::cpu::{Pause, Thread};

    crate::intrinsics::meant!();

    #[inline]
    pub fn __intrinsic(thread: &Thread<'_>, site: u32) -> Pause {
        thread.barrier(site)
    }
}

/// Defines a barrier at which threads vote.
macro_rules! vote {
    ($(#[$attribute:meta])* pub fn $name:ident(condition: bool) -> $result:ty; |$votes:ident| $body:expr) => {
        $(#[$attribute])*
        ///
        /// It is a [`sync_threads`] as well, with the same conditions. All threads of the block get the same result, so a barrier may be
        /// under a condition on it.
        ///
        /// # Panics
        ///
        /// If called outside a kernel.
        #[track_caller]
        pub fn $name(condition: bool) -> $result {
            let _ = condition;
            outside_kernel(stringify!($name))
        }

        #[doc(hidden)]
        pub mod $name {
            use crate::backend::cpu::Thread;

            $crate::intrinsics::meant!();

            #[inline]
            pub async fn __intrinsic(thread: &Thread<'_>, condition: bool, site: u32) -> $result {
                let $votes = thread.vote(condition, site).await;
                $body
            }
        }
    };
}

vote! {
    /// The number of threads of the block for which `condition` holds.
    ///
    /// CUDA: `__syncthreads_count(condition)`. Numba: `cuda.syncthreads_count(condition)`.
    ///
    /// ```
    /// use gpu_runtime::prelude::*;
    ///
    /// /// How many elements of each block are negative.
    /// #[gpu_kernel]
    /// fn negatives(x: &[f32], out: &mut [usize]) {
    ///     let i = grid_1d();
    ///     let count = sync_threads_count(i < x.len() && x[i] < 0.0);
    ///     if thread_idx().x == 0 {
    ///         out[block_idx().x] = count;
    ///     }
    /// }
    ///
    /// let device = Device::cpu();
    /// let x = device.to_device(&[1.0, -2.0, -3.0, 4.0, -5.0])?;
    /// let mut out = device.zeros::<usize>(2)?;
    /// negatives(&x, &mut out).launch(2, 4)?;
    /// assert_eq!(out.to_host()?, [2, 1]);
    /// # Ok::<(), gpu_runtime::Error>(())
    /// ```
    pub fn sync_threads_count(condition: bool) -> usize;
    |votes| votes.held as usize
}

vote! {
    /// Whether `condition` holds for every thread of the block.
    ///
    /// CUDA: `__syncthreads_and(condition)`. Numba: `cuda.syncthreads_and(condition)`.
    pub fn sync_threads_and(condition: bool) -> bool;
    |votes| votes.held == votes.cast
}

vote! {
    /// Whether `condition` holds for any thread of the block.
    ///
    /// CUDA: `__syncthreads_or(condition)`. Numba: `cuda.syncthreads_or(condition)`.
    ///
    /// ```
    /// use gpu_runtime::prelude::*;
    ///
    /// /// Sorts each block of 64 elements by exchanging neighbours until nothing moves.
    /// #[gpu_kernel(block = 32)]
    /// fn sort_blocks(x: &mut [u32]) {
    ///     let mut tile = shared::<[u32; 64]>();
    ///     let t = thread_idx().x;
    ///     let first = block_idx().x * 64;
    ///     tile[t] = x[first + t];
    ///     tile[t + 32] = x[first + t + 32];
    ///     sync_threads();
    ///     let mut moved = true;
    ///     while sync_threads_or(moved) {
    ///         moved = false;
    ///         for odd in 0..2 {
    ///             let i = 2 * t + odd;
    ///             if i + 1 < 64 && tile[i] > tile[i + 1] {
    ///                 (tile[i], tile[i + 1]) = (tile[i + 1], tile[i]);
    ///                 moved = true;
    ///             }
    ///             sync_threads();
    ///         }
    ///     }
    ///     x[first + t] = tile[t];
    ///     x[first + t + 32] = tile[t + 32];
    /// }
    ///
    /// let device = Device::cpu();
    /// let mut x = device.to_device(&(0..64).map(|i| i * 37 % 64).collect::<Vec<u32>>())?;
    /// // SAFETY: each thread reads and writes two elements that no other thread uses.
    /// unsafe { sort_blocks(&mut x).launch_unchecked(1, 32)? };
    /// assert_eq!(x.to_host()?, (0..64).collect::<Vec<u32>>());
    /// # Ok::<(), gpu_runtime::Error>(())
    /// ```
    pub fn sync_threads_or(condition: bool) -> bool;
    |votes| votes.held > 0
}
