//! Shared memory whose size depends on the launch.

use crate::backend::cpu::{SharedElement, SliceMut, outside_kernel};

/// An array in shared memory, which all threads of the block share, with a length that is computed at launch.
///
/// CUDA: `extern __shared__ float tile[]` and a number of bytes in the launch. Numba: `cuda.shared.array(0, float32)` and a number of
/// bytes. Here the launch computes the bytes from the lengths, and a kernel may have several such arrays, of different types, which do not
/// overlap. (In CUDA and Numba, all of them are the same memory.)
///
/// `T` is a number, an atomic, a struct with `#[derive(DeviceType)]` that contains no `bool` and no enum, or an array of these. `len` is an
/// expression of values that the launch knows: constants, integer parameters, `x.len()` and `x.shape()` of parameters, [`block_dim`] and
/// [`grid_dim`], with `+`, `-`, `*`, `/`, `%`, `min`, `max`, `saturating_sub`, `div_ceil` and `as`, and variables that are not `mut`. The
/// declaration must be a statement at the top of the kernel, not inside of a branch or loop.
///
/// Use the array like a `&mut [T]` parameter (for atomics, `&[T]`): `tile[i]` is checked, `tile.len()` is the length, which may be 0, and
/// device functions take `&mut tile`. As with [`shared`], its contents are undefined until a thread writes them, and the CPU backend fills
/// it with conspicuous values.
///
/// If the arrays need more memory than a block has, the launch returns [`DynamicSharedTooLarge`](crate::Error::DynamicSharedTooLarge). A
/// block has 48 KiB or more on a GPU (227 KiB on an H100), minus the kernel's static shared arrays, and 227 KiB on the CPU.
///
/// [`block_dim`]: crate::intrinsics::block_dim
/// [`grid_dim`]: crate::intrinsics::grid_dim
/// [`shared`]: crate::intrinsics::shared
///
/// ```
/// use gpu_runtime::prelude::*;
///
/// /// Reverses the elements of each block, whatever its size.
/// #[gpu_kernel]
/// fn reverse_blocks(x: &[i32], out: &mut [i32]) {
///     let mut tile = dynamic_shared::<i32>(block_dim().x);
///     let t = thread_idx().x;
///     let i = grid_1d();
///     tile[t] = x[i];
///     sync_threads();
///     out[i] = tile[tile.len() - 1 - t];
/// }
///
/// let device = Device::cpu();
/// let x = device.to_device(&[1, 2, 3, 4, 5, 6, 7, 8])?;
/// let mut out = device.zeros::<i32>(8)?;
/// reverse_blocks(&x, &mut out).launch(2, 4)?;
/// assert_eq!(out.to_host()?, [4, 3, 2, 1, 8, 7, 6, 5]);
/// reverse_blocks(&x, &mut out).launch(1, 8)?;
/// assert_eq!(out.to_host()?, [8, 7, 6, 5, 4, 3, 2, 1]);
/// # Ok::<(), gpu_runtime::Error>(())
/// ```
///
/// # Panics
///
/// If called outside a kernel.
#[track_caller]
pub fn dynamic_shared<T: SharedElement>(len: usize) -> SliceMut<'static, T> {
    let _ = len;
    outside_kernel("dynamic_shared")
}

#[doc(hidden)]
pub mod dynamic_shared {
    use crate::backend::cpu::{SharedElement, SliceMut, Thread};

    crate::intrinsics::meant!();

    /// # Safety
    ///
    /// As for a [shared array](crate::intrinsics::shared): a reference to an element does not last across a barrier, nor while the thread
    /// uses another handle to the array.
    #[inline]
    pub unsafe fn __intrinsic<'b, T: SharedElement>(thread: &Thread<'b>, slot: usize, len: usize) -> SliceMut<'b, T> {
        thread.launch("dynamic_shared");
        // SAFETY: the caller guarantees the same.
        unsafe { thread.dynamic_shared(slot, len) }
    }
}
