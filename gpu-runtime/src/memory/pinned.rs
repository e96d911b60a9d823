//! Page-locked host arrays.

use std::fmt;
use std::marker::PhantomData;
use std::ops::{Deref, DerefMut};
use std::slice;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::slice::check_lengths;
use super::{DeviceArray, DeviceSlice, DeviceSliceMut, reserve};
use crate::backend::cuda::PageLocked;
use crate::backend::{Access, Event};
use crate::device::Device;
use crate::source::DeviceType;
use crate::{Error, Result};

/// An array in page-locked host memory, from and to which a GPU copies at the speed of the bus: `cudaMallocHost`, Numba's `pinned_array`, CuPy's
/// `alloc_pinned_memory`. It derefs to a slice.
///
/// Created by [`Device::pinned`]. Pass it to `copy_from_host` and `copy_to_host` like any slice. Page-locked memory is a scarce resource,
/// and allocating it takes long (0.3 ms for a megabyte): keep it for many copies. On the CPU, it is ordinary memory.
///
/// [`copy_from_pinned`](DeviceArray::copy_from_pinned) and [`copy_to_pinned`](DeviceArray::copy_to_pinned) do not wait, and are in order
/// with each other, on whatever streams they run. The host waits when it accesses the array: to read it, for the copies that write it; to write
/// it or to drop it, for all copies.
///
/// # Panics
///
/// Accesses panic where the driver does not wait, in a [`Waker`](std::task::Waker) that it calls for example, if a copy may go on.
pub struct PinnedVec<T> {
    memory: Memory<T>,
    len: usize,
    copies: Mutex<Copies>,
    /// Whether `copies` has a writer, which whoever reads asks without a lock.
    is_written: AtomicBool,
    elements: PhantomData<T>,
}

/// The ends of the copies that may not be done.
#[derive(Default)]
struct Copies {
    readers: Vec<Event>,
    /// The last one: those before it, and the readers before it, are done when it is.
    writer: Option<Event>,
}

enum Memory<T> {
    Host(Vec<T>),
    PageLocked(PageLocked),
}

// SAFETY: the memory is owned, and belongs to no thread.
unsafe impl<T: DeviceType> Send for PinnedVec<T> {}
// SAFETY: as a slice of `T`, which threads may share. The copies are under a lock.
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
        const { T::HAS_LAYOUT }
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
        Ok(PinnedVec { memory, len, copies: Mutex::default(), is_written: AtomicBool::new(false), elements: PhantomData })
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
        check_lengths(self.len(), host.len)?;
        let Memory::PageLocked(memory) = &host.memory else { return self.copy_from_host(host) };
        let (queue, target) = (self.device().queue(), self.memory_use(Access::Write));
        // Held meanwhile, so that whoever waits for all readers knows of this one.
        let mut copies = host.lock();
        copies.writer.iter().try_for_each(|writer| queue.wait_for(writer))?;
        // SAFETY: both have as many elements, and this slice is exclusive. `host` is neither written nor freed before its readers are done.
        let end = unsafe { queue.start_upload_in_place(&target, memory, self.pointer().cast(), self.len() * size_of::<T>())? };
        copies.readers.retain(|reader| !reader.is_done().unwrap_or(false));
        copies.readers.push(end);
        Ok(())
    }

    /// Overwrites `host` with its elements, without waiting: see [`DeviceArray::copy_to_pinned`].
    ///
    /// # Errors
    ///
    /// As listed there.
    pub fn copy_to_pinned(&self, host: &mut PinnedVec<T>) -> Result<()> {
        self.shared().copy_to_pinned(host)
    }
}

impl<T: DeviceType> DeviceArray<T> {
    /// Overwrites `host` with its elements, without waiting: the GPU writes page-locked memory by itself, at the speed of the bus, while kernels
    /// run. `cudaMemcpyAsync`, CuPy's `x.get(stream, out=host, blocking=False)`.
    ///
    /// The copy is work of the stream of the array, or of `array.on(&stream)`. Whoever reads `host` next waits for it. With
    /// [`PinnedVec::to`], chunks go through several streams, and copies in both directions and kernels overlap:
    ///
    /// ```
    /// use gpu_runtime::prelude::*;
    ///
    /// let device = Device::best()?;
    /// let streams = [device.stream()?, device.stream()?, device.stream()?];
    /// let mut chunks = (0..16).map(|_| device.pinned::<f32>(1000)).collect::<gpu_runtime::Result<Vec<_>>>()?;
    /// for (part, chunk) in chunks.iter_mut().enumerate() {
    ///     chunk.fill(part as f32);
    ///     let x = chunk.to(&streams[part % 3])?;
    ///     (x.lazy() * 2.0).collect()?.copy_to_pinned(chunk)?; // nothing waits
    /// }
    /// assert_eq!(chunks[15][999], 30.0); // waits for this chunk
    /// # Ok::<(), gpu_runtime::Error>(())
    /// ```
    ///
    /// A kernel that fails is reported by the next call that waits for its stream, such as `device.synchronize()`: `host` cannot tell. On the
    /// CPU, the copy is done when the call returns.
    ///
    /// # Errors
    ///
    /// [`Error::LengthMismatch`](crate::Error::LengthMismatch) if `host` is shorter or longer.
    pub fn copy_to_pinned(&self, host: &mut PinnedVec<T>) -> Result<()> {
        self.shared().copy_to_pinned(host)
    }
}

impl<T: DeviceType> DeviceSlice<'_, T> {
    /// Overwrites `host` with its elements, without waiting: see [`DeviceArray::copy_to_pinned`].
    ///
    /// # Errors
    ///
    /// As listed there.
    pub fn copy_to_pinned(&self, host: &mut PinnedVec<T>) -> Result<()> {
        check_lengths(self.len(), host.len)?;
        let Memory::PageLocked(memory) = &host.memory else { return self.copy_to_host(host) };
        let (queue, source) = (self.device().queue(), self.memory_use(Access::Read));
        let copies = host.copies.get_mut().unwrap_or_else(PoisonError::into_inner);
        copies.readers.iter().chain(&copies.writer).try_for_each(|copy| queue.wait_for(copy))?;
        // SAFETY: both have as many elements, and nobody accesses `host` before the copy is done, on the host or by other copies.
        let end = unsafe { queue.start_download_in_place(&source, self.pointer().cast(), memory, self.len() * size_of::<T>())? };
        *copies = Copies { readers: Vec::new(), writer: Some(end) };
        *host.is_written.get_mut() = true;
        Ok(())
    }
}

impl<T: DeviceType> PinnedVec<T> {
    /// A copy of the elements on `device`, which may be a stream. Does not wait: see
    /// [`copy_from_pinned`](DeviceArray::copy_from_pinned), also for the errors.
    ///
    /// # Errors
    ///
    /// [`Error::OutOfMemory`](crate::Error::OutOfMemory) if the device has no room for it.
    pub fn to(&self, device: &Device) -> Result<DeviceArray<T>> {
        let mut copy = DeviceArray::unspecified(device, self.len.into())?;
        copy.copy_from_pinned(self)?;
        Ok(copy)
    }
}

impl<T> PinnedVec<T> {
    fn lock(&self) -> MutexGuard<'_, Copies> {
        self.copies.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until the host can read the elements.
    ///
    /// # Panics
    ///
    /// If it cannot wait: in a waker, which the driver calls, or if the context is lost. A copy may still write the memory.
    #[inline]
    fn wait_for_writer(&self) {
        if self.is_written.load(Ordering::Acquire) {
            let mut copies = self.lock();
            copies.writer.iter().try_for_each(Event::synchronize).unwrap_or_else(|error| cannot_wait(&error));
            copies.writer = None;
            self.is_written.store(false, Ordering::Release);
        }
    }

    /// Waits until the host can write or free the elements. After an error, copies may still use them.
    fn wait_for_copies(&mut self) -> Result<()> {
        let copies = self.copies.get_mut().unwrap_or_else(PoisonError::into_inner);
        copies.readers.iter().chain(&copies.writer).try_for_each(Event::synchronize)?;
        *copies = Copies::default();
        *self.is_written.get_mut() = false;
        Ok(())
    }
}

#[cold]
fn cannot_wait(error: &Error) -> ! {
    panic!("cannot wait for a copy of page-locked memory: {error}")
}

impl<T> Drop for PinnedVec<T> {
    fn drop(&mut self) {
        if self.wait_for_copies().is_err() {
            // A copy may still use the memory.
            std::mem::forget(std::mem::replace(&mut self.memory, Memory::Host(Vec::new())));
        }
    }
}

impl<T: DeviceType> Deref for PinnedVec<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        self.wait_for_writer();
        match &self.memory {
            Memory::Host(vec) => vec,
            // SAFETY: the memory is ours, has `len` elements, all of which are initialized, and is as aligned as a page.
            Memory::PageLocked(memory) => unsafe { slice::from_raw_parts(memory.start().cast(), self.len) },
        }
    }
}

impl<T: DeviceType> DerefMut for PinnedVec<T> {
    fn deref_mut(&mut self) -> &mut [T] {
        self.wait_for_copies().unwrap_or_else(|error| cannot_wait(&error));
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
        assert_eq!(host.lock().readers.len(), 1);
        host.fill(0.0);
        assert!(host.lock().readers.is_empty(), "who writes has waited");
        assert_eq!(x.to_host().unwrap(), [1.5; 4]);
    }

    #[test]
    fn copies_of_page_locked_memory_on_several_streams_are_in_order_and_the_host_waits_for_what_it_reads() {
        let device = Device::of_queue(backend::Queue::of_fake_gpu());
        let stream = device.stream().unwrap();
        let (x, mut host) = (device.to_device(&[2.5f32; 4]).unwrap(), device.pinned::<f32>(4).unwrap());
        fake::take_calls();
        x.copy_to_pinned(&mut host).unwrap();
        let calls = fake::take_calls();
        let [Call::Download { stream: 1 }, Call::Record { stream: 1, event: written }] = calls[..] else { panic!("{calls:?}") };

        // Another stream reads what the first one writes, and a third copy writes it again.
        let mut copy = host.to(&stream).unwrap();
        let calls = fake::take_calls();
        let wait = Call::Wait { stream: 2, event: written };
        let position = |call: &Call| calls.iter().position(|other| other == call);
        assert!(position(&wait) < position(&Call::Upload { stream: 2 }) && position(&wait).is_some(), "{calls:?}");
        let Some(&Call::Record { stream: 2, event: read }) = calls.last() else { panic!("{calls:?}") };
        x.copy_to_pinned(&mut host).unwrap();
        let calls = fake::take_calls();
        assert!(matches!(calls[..], [Call::Wait { stream: 1, event }, .., Call::Record { .. }] if event == read), "{calls:?}");

        assert!(host.is_written.load(Ordering::Relaxed));
        assert_eq!(host[3], 2.5);
        assert!(!host.is_written.load(Ordering::Relaxed) && host.lock().writer.is_none(), "who reads has waited");
        assert_eq!(copy.slice_mut(..).to_host().unwrap(), [2.5; 4]);
        assert!(matches!(copy.slice(1..).copy_to_pinned(&mut host), Err(crate::Error::LengthMismatch { .. })));
    }

    /// The driver does not wait in its callbacks, such as a waker, while copies go on.
    #[test]
    fn elements_that_a_copy_may_still_write_are_not_read_where_the_driver_cannot_wait() {
        let device = Device::of_queue(backend::Queue::of_fake_gpu());
        let (x, mut host) = (device.to_device(&[2.5f32; 4]).unwrap(), device.pinned::<f32>(4).unwrap());
        x.copy_to_pinned(&mut host).unwrap();
        fake::set_failing(&["cuEventSynchronize"]);
        let read = std::panic::catch_unwind(|| host[0]);
        assert!(read.unwrap_err().downcast::<String>().unwrap().contains("cannot wait for a copy"));
        let write = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| host[0] = 1.0));
        assert!(write.is_err() && host.lock().writer.is_some());
        fake::set_failing(&[]);
        assert_eq!(host[0], 2.5);
    }
}
