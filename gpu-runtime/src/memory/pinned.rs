//! Page-locked host arrays.

use std::fmt;
use std::marker::PhantomData;
use std::ops::{Deref, DerefMut};
use std::slice;
use std::sync::{Mutex, PoisonError};

use super::slice::check_lengths;
use super::{DeviceArray, DeviceSliceMut, reserve};
use crate::Result;
use crate::backend::cuda::PageLocked;
use crate::backend::{Access, Event};
use crate::device::Device;
use crate::source::DeviceType;

/// An array in page-locked host memory, from and to which a GPU copies at the speed of the bus: `cudaMallocHost`, Numba's `pinned_array`, CuPy's
/// `alloc_pinned_memory`. It derefs to a slice.
///
/// Created by [`Device::pinned`]. Pass it to `copy_from_host` and `copy_to_host` like any slice. Page-locked memory is a scarce resource,
/// and allocating it takes long (0.3 ms for a megabyte): keep it for many copies. On the CPU, it is ordinary memory.
///
/// [`copy_from_pinned`](DeviceArray::copy_from_pinned) copies from it and does not wait. To write to it, or to drop it, waits until the
/// GPU has read it.
pub struct PinnedVec<T> {
    memory: Memory<T>,
    len: usize,
    /// The ends of the copies that may still read it.
    readers: Mutex<Vec<Event>>,
    elements: PhantomData<T>,
}

enum Memory<T> {
    Host(Vec<T>),
    PageLocked(PageLocked),
}

// SAFETY: the memory is owned, and belongs to no thread.
unsafe impl<T: DeviceType> Send for PinnedVec<T> {}
// SAFETY: as a slice of `T`, which threads may share. The readers are under a lock.
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
        Ok(PinnedVec { memory, len, readers: Mutex::default(), elements: PhantomData })
    }
}

impl<T: DeviceType> DeviceArray<T> {
    /// Overwrites its elements with those of `host`, without waiting and without a copy of them on the host: the GPU reads page-locked memory by
    /// itself, at the speed of the bus, while kernels run. `cudaMemcpyAsync`, CuPy's `x.set(host, stream)`.
    ///
    /// The copy is work of the stream of the array, or of `array.on_mut(&stream)`. The next call that writes to `host` waits for it: so two
    /// of them, in turn, keep the bus busy. On the CPU, the copy is done when the call returns.
    ///
    /// # Errors
    ///
    /// [`Error::LengthMismatch`](crate::Error::LengthMismatch) if `host` is shorter or longer.
    ///
    /// ```
    /// use gpu_runtime::prelude::*;
    ///
    /// let device = Device::best()?;
    /// let mut x = device.zeros::<f32>(1000)?;
    /// let mut hosts = [device.pinned::<f32>(1000)?, device.pinned::<f32>(1000)?];
    /// let mut sums = device.zeros::<f32>(1000)?;
    /// for part in 0..8 {
    ///     let host = &mut hosts[part % 2];
    ///     host.fill(part as f32); // while the GPU reads the other one
    ///     x.copy_from_pinned(host)?;
    ///     (&sums + &x).collect()?.lazy().collect_into(&mut sums)?;
    /// }
    /// assert_eq!(sums.to_host()?[999], 28.0);
    /// # Ok::<(), gpu_runtime::Error>(())
    /// ```
    pub fn copy_from_pinned(&mut self, host: &PinnedVec<T>) -> Result<()> {
        self.exclusive().copy_from_pinned(host)
    }
}

impl<T: DeviceType> DeviceSliceMut<'_, T> {
    /// Overwrites its elements with those of `host`, without waiting: see [`DeviceArray::copy_from_pinned`].
    ///
    /// # Errors
    ///
    /// As listed there.
    pub fn copy_from_pinned(&mut self, host: &PinnedVec<T>) -> Result<()> {
        check_lengths(self.len(), host.len())?;
        let Memory::PageLocked(memory) = &host.memory else { return self.copy_from_host(host) };
        let target = self.memory_use(Access::Write);
        // Held meanwhile, so that whoever waits for all readers knows of this one.
        let mut readers = host.readers.lock().unwrap_or_else(PoisonError::into_inner);
        // SAFETY: both have as many elements, and this slice is exclusive. `host` is neither written nor freed before its readers are done.
        let end = unsafe { self.device().queue().start_upload_in_place(&target, memory, self.pointer().cast(), size_of_val(&**host))? };
        readers.retain(|reader| !reader.is_done().unwrap_or(false));
        readers.push(end);
        Ok(())
    }
}

impl<T> PinnedVec<T> {
    fn wait_for_readers(&mut self) {
        let readers = self.readers.get_mut().unwrap_or_else(PoisonError::into_inner);
        // What fails is a context that is lost, of which nothing reads the memory any more.
        readers.drain(..).for_each(|reader| drop(reader.synchronize()));
    }
}

impl<T> Drop for PinnedVec<T> {
    fn drop(&mut self) {
        self.wait_for_readers();
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
        self.wait_for_readers();
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::backend;
    use crate::backend::cuda::fake::{self, Call};

    #[test]
    fn the_gpu_reads_page_locked_memory_itself_and_the_end_is_an_event() {
        let device = Device::of_queue(backend::Queue::of_fake_gpu());
        let (mut x, mut host) = (device.zeros::<f32>(4).unwrap(), device.pinned::<f32>(4).unwrap());
        host.fill(1.5);
        fake::take_calls();
        x.copy_from_pinned(&host).unwrap();
        let calls = fake::take_calls();
        assert!(matches!(calls[..], [Call::Upload { stream: 1 }, Call::Record { stream: 1, .. }]), "{calls:?}");
        assert_eq!(host.readers.lock().unwrap().len(), 1);
        host.fill(0.0);
        assert!(host.readers.lock().unwrap().is_empty(), "who writes has waited");
        assert_eq!(x.to_host().unwrap(), [1.5; 4]);
    }
}
