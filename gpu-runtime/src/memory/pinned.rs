//! Page-locked host arrays.

use std::fmt;
use std::marker::PhantomData;
use std::ops::{Deref, DerefMut};
use std::slice;

use super::reserve;
use crate::Result;
use crate::backend::cuda::PageLocked;
use crate::device::Device;
use crate::source::DeviceType;

/// An array in page-locked host memory, from and to which a GPU copies at the speed of the bus: `cudaMallocHost`, Numba's `pinned_array`, CuPy's
/// `alloc_pinned_memory`. It derefs to a slice.
///
/// Created by [`Device::pinned`]. Pass it to `copy_from_host` and `copy_to_host` like any slice. Page-locked memory is a scarce resource,
/// and allocating it takes long (0.3 ms for a megabyte): keep it for many copies. On the CPU, it is ordinary memory.
pub struct PinnedVec<T> {
    memory: Memory<T>,
    len: usize,
    elements: PhantomData<T>,
}

enum Memory<T> {
    Host(Vec<T>),
    PageLocked(PageLocked),
}

// SAFETY: the memory is owned, and belongs to no thread.
unsafe impl<T: DeviceType> Send for PinnedVec<T> {}
// SAFETY: as a slice of `T`, which threads may share.
unsafe impl<T: DeviceType> Sync for PinnedVec<T> {}

impl Device {
    /// A new page-locked host array of `len` zeros (`false` for `bool`), for copies from and to this device.
    ///
    /// # Errors
    ///
    /// [`Error::Driver`](crate::Error::Driver) and [`Error::OutOfMemory`](crate::Error::OutOfMemory) if the system cannot page-lock as much
    /// memory.
    ///
    /// ```
    /// use gpu_runtime::prelude::*;
    ///
    /// let device = Device::best()?;
    /// let mut host = device.pinned::<f32>(1000)?;
    /// host.fill(1.5);
    /// let x = device.to_device(&host)?;
    /// (x.lazy() * 2.0).collect()?.copy_to_host(&mut host)?;
    /// assert_eq!(host[999], 3.0);
    /// # Ok::<(), gpu_runtime::Error>(())
    /// ```
    pub fn pinned<T: DeviceType>(&self, len: usize) -> Result<PinnedVec<T>> {
        const { assert!(align_of::<T>() <= 4096, "page-locked memory is as aligned as a page") };
        let host = || {
            let mut zeros: Vec<T> = reserve(len)?;
            // SAFETY: there is room for the elements, and zeros are a value of every type of elements, as `Device::zeros` has them.
            unsafe {
                zeros.as_mut_ptr().write_bytes(0, len);
                zeros.set_len(len);
            }
            Ok(Memory::Host(zeros))
        };
        let bytes = len.saturating_mul(size_of::<T>());
        let memory = match bytes {
            0 => host()?,
            _ => self.queue().dispatch(host, |queue| queue.allocate_page_locked(bytes).map(Memory::PageLocked))?,
        };
        Ok(PinnedVec { memory, len, elements: PhantomData })
    }
}

impl<T: DeviceType> Deref for PinnedVec<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        match &self.memory {
            Memory::Host(vec) => vec,
            // SAFETY: the memory is ours, has `len` elements, all of which are initialized, and is as aligned as a page.
            Memory::PageLocked(memory) => unsafe { slice::from_raw_parts(memory.start().cast(), self.len) },
        }
    }
}

impl<T: DeviceType> DerefMut for PinnedVec<T> {
    fn deref_mut(&mut self) -> &mut [T] {
        match &mut self.memory {
            Memory::Host(vec) => vec,
            // SAFETY: as above, and the borrow is exclusive.
            Memory::PageLocked(memory) => unsafe { slice::from_raw_parts_mut(memory.start().cast(), self.len) },
        }
    }
}

impl<T: DeviceType + fmt::Debug> fmt::Debug for PinnedVec<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}
