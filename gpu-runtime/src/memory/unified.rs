//! Memory that the host and a GPU both access where it is.
//!
//! *Managed* memory moves: each page is where it was last accessed, and a kernel or the host that accesses a page elsewhere waits for it.
//! *Mapped* memory is page-locked memory of the host, which kernels access through the bus. Both are arrays like any other to kernels and array
//! functions. The host accesses them as slices, whose borrow keeps kernels from writing the elements meanwhile.

use super::raw::{Placement, RawMemory};
use super::{DeviceArray, Shape};
use crate::backend::cuda::{self, MemoryAdvice};
use crate::backend::{Access, MemoryUse};
use crate::device::Device;
use crate::source::DeviceType;
use crate::{Error, Result};

impl Device {
    /// A new array of zeros in managed memory: `cudaMallocManaged`, Numba's `cuda.managed_array`. It may be larger than the memory of the GPU.
    ///
    /// Kernels and array functions use it as any array. The host accesses the elements where they are: see
    /// [`as_host_slice`](DeviceArray::as_host_slice). Pages move to whoever accesses them; [`prefetch`](DeviceArray::prefetch) and
    /// [`advise`](DeviceArray::advise) avoid that a kernel waits for them. On a GPU that cannot access managed memory while the host does, the
    /// memory is [mapped](Self::mapped); on the CPU, it is ordinary memory.
    ///
    /// # Errors
    ///
    /// [`Error::OutOfMemory`] if the system or the [limit](Self::set_memory_limit) has no room for it.
    ///
    /// ```
    /// use gpu_runtime::prelude::*;
    ///
    /// let device = Device::best()?;
    /// let mut x = device.managed::<f32>(1000)?;
    /// x.as_host_slice_mut()?.fill(1.5); // no copy
    /// x.prefetch()?;
    /// let doubled = (x.lazy() * 2.0).collect()?;
    /// assert_eq!(doubled.sum()?, 3.0 * x.as_host_slice()?.len() as f32);
    /// # Ok::<(), gpu_runtime::Error>(())
    /// ```
    pub fn managed<T: DeviceType>(&self, shape: impl Into<Shape>) -> Result<DeviceArray<T>> {
        DeviceArray::placed(self, shape.into(), Placement::Managed)
    }

    /// A new array of zeros in page-locked memory of the host, which kernels access through the bus: `cudaHostAllocMapped`, Numba's
    /// `cuda.mapped_array`. For elements that a kernel accesses once, such as a few results that the host waits for.
    ///
    /// The host accesses the elements by [`as_host_slice`](DeviceArray::as_host_slice). It is not counted as memory of the device. On the CPU, it
    /// is ordinary memory.
    ///
    /// # Errors
    ///
    /// [`Error::OutOfMemory`] and [`Error::Driver`] if the system cannot page-lock as much memory.
    pub fn mapped<T: DeviceType>(&self, shape: impl Into<Shape>) -> Result<DeviceArray<T>> {
        DeviceArray::placed(self, shape.into(), Placement::Mapped)
    }
}

impl<T: DeviceType> DeviceArray<T> {
    /// An array of zeros.
    fn placed(device: &Device, shape: Shape, placement: Placement) -> Result<Self> {
        const { assert!(align_of::<T>() <= 256, "such memory is aligned as the driver aligns it") };
        // Memory of no bytes is nowhere, and the CPU's is the host's.
        if !device.is_gpu() || shape.checked_len() == Some(0) {
            return Self::zeroed(device, shape);
        }
        let len = shape.checked_len().unwrap_or(usize::MAX);
        Ok(Self::of_memory(RawMemory::placed(device, len, size_of::<T>(), placement)?, shape))
    }

    /// The elements where they are, for the host to read. Waits until all work that writes them is done.
    ///
    /// # Errors
    ///
    /// [`Error::NotHostMemory`] if the array is in the memory of a GPU: see [`managed`](Device::managed) and [`mapped`](Device::mapped). Arrays
    /// on the CPU are host memory. [`Error::KernelFailed`] as for [`to_host`](Self::to_host).
    ///
    /// ```
    /// use gpu_runtime::prelude::*;
    ///
    /// #[gpu_kernel]
    /// fn double(x: &mut [u32]) {
    ///     let i = grid_1d();
    ///     if i < x.len() {
    ///         x[i] *= 2;
    ///     }
    /// }
    ///
    /// let device = Device::best()?;
    /// let mut x = device.mapped::<u32>(3)?;
    /// x.as_host_slice_mut()?.copy_from_slice(&[1, 2, 3]);
    /// double(&mut x).launch(1, 32)?;
    /// assert_eq!(x.as_host_slice()?, [2, 4, 6]);
    /// # Ok::<(), gpu_runtime::Error>(())
    /// ```
    pub fn as_host_slice(&self) -> Result<&[T]> {
        self.wait_on_host(Access::Read)?;
        if self.is_empty() {
            return Ok(&[]);
        }
        // SAFETY: the host can access the memory, which has `len` elements. Work that writes them is done, and none can be added as long as the
        // array is borrowed.
        Ok(unsafe { self.shared().as_host() })
    }

    /// The elements where they are, for the host to write. Waits until all work that uses them is done.
    ///
    /// # Errors
    ///
    /// As for [`as_host_slice`](Self::as_host_slice).
    pub fn as_host_slice_mut(&mut self) -> Result<&mut [T]> {
        self.wait_on_host(Access::Write)?;
        if self.is_empty() {
            return Ok(&mut []);
        }
        let (pointer, len) = (self.as_mut_ptr(), self.len());
        // SAFETY: the host can access the memory, which has `len` elements. Work that uses them is done, and none can be added as long as the
        // array is borrowed.
        Ok(unsafe { std::slice::from_raw_parts_mut(pointer, len) })
    }

    fn wait_on_host(&self, access: Access) -> Result<()> {
        if !self.memory().is_the_hosts() && !self.is_empty() {
            return Err(Error::NotHostMemory { device: self.device().to_string() });
        }
        let queue = self.device().queue();
        queue.read_back(&self.memory_use(access), || queue.synchronize())
    }

    /// Moves managed memory to the device, on the stream of the array, so that the next kernel does not wait for pages:
    /// `cudaMemPrefetchAsync`. Does not wait. Nothing happens to other memory.
    ///
    /// # Errors
    ///
    /// [`Error::Driver`] is a GPU that does not work.
    pub fn prefetch(&self) -> Result<()> {
        self.if_managed(|queue, used| queue.prefetch(used, false))
    }

    /// The same, to the host.
    ///
    /// # Errors
    ///
    /// [`Error::Driver`] is a GPU that does not work.
    pub fn prefetch_to_host(&self) -> Result<()> {
        self.if_managed(|queue, used| queue.prefetch(used, true))
    }

    /// Tells the system how managed memory will be used: `cudaMemAdvise`. Nothing happens to other memory.
    ///
    /// # Errors
    ///
    /// [`Error::Driver`] is a GPU that does not work.
    pub fn advise(&self, advice: MemoryAdvice) -> Result<()> {
        self.if_managed(|queue, used| queue.advise(used, advice))
    }

    fn if_managed(&self, work: impl FnOnce(&'static cuda::Queue, &MemoryUse<'_>) -> Result<()>) -> Result<()> {
        match self.memory().placement() {
            Placement::Managed => self.device().queue().dispatch(|| Ok(()), |queue| work(queue, &self.memory_use(Access::Read))),
            Placement::Mapped | Placement::Device => Ok(()),
        }
    }

    fn memory_use(&self, access: Access) -> MemoryUse<'_> {
        self.shared().memory_use(access)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::backend::Queue;
    use crate::backend::cuda::fake::{Call, note, take_calls};

    #[test]
    fn the_host_waits_for_the_work_that_uses_the_elements() {
        let device = Device::of_queue(Queue::of_fake_gpu());
        let stream = device.stream().unwrap();
        let mut x = device.managed::<u32>(3).unwrap();
        x.as_host_slice_mut().unwrap().copy_from_slice(&[1, 2, 3]);
        stream.lend().writes(&mut x).call(|stream| note(Call::Work { stream: stream.addr() })).unwrap();
        take_calls();
        assert_eq!(x.as_host_slice().unwrap(), [1, 2, 3]);
        // The queue of the array waits for the stream, and the host for the queue.
        let waited = [Call::Record { event: 1, stream: 2 }, Call::Wait { stream: 1, event: 1 }, Call::Synchronize { stream: 1 }];
        assert_eq!(take_calls(), waited);
        stream.lend().reads(&x).call(|_| ()).unwrap();
        take_calls();
        x.as_host_slice_mut().unwrap()[0] = 7;
        assert!(take_calls().contains(&Call::Wait { stream: 1, event: 1 }), "a writer waits for readers");
    }

    #[test]
    fn managed_memory_counts_as_memory_of_the_device_and_mapped_memory_does_not() {
        let device = Device::of_queue(Queue::of_fake_gpu());
        let (managed, mapped) = (device.managed::<f32>(10).unwrap(), device.mapped::<f32>(100).unwrap());
        assert_eq!(device.memory().unwrap().live, 40);
        device.set_memory_limit(Some(100));
        assert!(matches!(device.managed::<f32>(20), Err(Error::OutOfMemory { bytes: 80, .. })));
        assert_eq!(mapped.as_host_slice().unwrap(), [0.0; 100]);
        drop((managed, mapped));
        assert_eq!(device.memory().unwrap().live, 0);
    }

    #[test]
    fn only_managed_memory_is_prefetched() {
        let device = Device::of_queue(Queue::of_fake_gpu());
        let (managed, mapped) = (device.managed::<f32>(10).unwrap(), device.mapped::<f32>(10).unwrap());
        take_calls();
        managed.prefetch().unwrap();
        managed.prefetch_to_host().unwrap();
        mapped.prefetch().unwrap();
        assert_eq!(take_calls(), [Call::Prefetch { stream: 1, to_host: false }, Call::Prefetch { stream: 1, to_host: true }]);
        managed.advise(MemoryAdvice::PreferHost).unwrap();
        mapped.advise(MemoryAdvice::PreferHost).unwrap();
        assert_eq!(take_calls(), [Call::Advise { advice: 3, to_host: true }]);
    }

    #[test]
    fn the_host_cannot_access_the_memory_of_a_gpu() {
        let device = Device::of_queue(Queue::of_fake_gpu());
        let mut x = device.zeros::<f32>(3).unwrap();
        assert!(matches!(x.as_host_slice(), Err(Error::NotHostMemory { .. })));
        assert!(matches!(x.as_host_slice_mut(), Err(Error::NotHostMemory { .. })));
        assert!(device.zeros::<f32>(0).unwrap().as_host_slice().unwrap().is_empty());
        assert_eq!(Device::cpu().ones::<f32>(2).unwrap().as_host_slice().unwrap(), [1.0, 1.0]);
    }
}
