//! Shared memory whose size the launch decides.

use crate::backend::cpu::{SharedElement, SliceMut, outside_kernel};

/// An array in the block's shared memory, the same for every thread of the block, whose length is known at launch.
///
/// CUDA: `extern __shared__ float tile[]` and a number of bytes in the launch. Numba: `cuda.shared.array(0, float32)`, likewise.
/// Here the launch computes the bytes from the lengths, and a kernel may have several such arrays, of different types: they lie one
/// after the other. (Those of CUDA and Numba are all the same memory.)
///
/// `T` is a number, an atomic, a struct with `#[derive(DeviceType)]` but without a `bool` or an enum in it, or an array of these. `len`
/// is made of what the launch knows: constants, integer parameters, `x.len()` and `x.shape()` of parameters, [`block_dim`] and
/// [`grid_dim`], with `+`, `-`, `*`, `/`, `%`, `min`, `max`, `saturating_sub`, `div_ceil` and `as`; also by way of variables that are
/// not `mut`. The declaration is a statement at the top of the kernel, not inside of a branch or loop.
///
/// What comes out is used like a `&mut [T]` parameter (`&[T]` of atomics): `tile[i]` is checked, `tile.len()` is the length, which may
/// be 0, and device functions take `&mut tile`. As with [`shared`], its contents are undefined until a thread writes them, and the CPU
/// backend fills it with conspicuous values.
///
/// A launch that needs more memory than a block has is refused with
/// [`DynamicSharedTooLarge`](crate::Error::DynamicSharedTooLarge). A GPU gives a block 48 KiB and more (227 KiB on an H100), less the
/// kernel's static arrays; the CPU 227 KiB.
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

    #[inline(always)]
    pub fn __intrinsic<'b, T: SharedElement>(thread: &Thread<'b>, slot: usize, len: usize) -> SliceMut<'b, T> {
        thread.launch("dynamic_shared");
        thread.dynamic_shared(slot, len)
    }
}
