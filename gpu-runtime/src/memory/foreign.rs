//! Memory and streams that other libraries share with this crate: cuBLAS, NCCL, CuPy, PyTorch.

use std::ffi::c_void;
use std::ptr::NonNull;

use super::element_kind::ElementKind;
use super::{DeviceArray, Shape};
use crate::backend::{Access, MemoryUse};
use crate::device::Device;
use crate::source::DeviceType;
use crate::{Error, Result};

/// A stream of another library, or of this one for another: a `CUstream`, which is also a `cudaStream_t`. Null is CUDA's default stream; on
/// the CPU it is always null.
pub type RawStream = *mut c_void;

impl<T: DeviceType> DeviceArray<T> {
    /// The address of the first element: a host pointer on the CPU, and on a GPU an address of its memory, a `CUdeviceptr`.
    ///
    /// The array still frees the memory. [`Device::lend`] orders what another library does with it.
    #[must_use]
    pub fn as_ptr(&self) -> *const T {
        self.shared().pointer()
    }

    /// The address of the first element, to write there: see [`as_ptr`](Self::as_ptr).
    #[must_use]
    pub fn as_mut_ptr(&mut self) -> *mut T {
        self.exclusive().pointer()
    }

    /// An array in memory that somebody else has allocated. It is never freed here: when the array is dropped, it waits until no kernel uses
    /// the memory, and then drops `keeper`, which may free it.
    ///
    /// # Panics
    ///
    /// If there are elements and the address is not a multiple of the alignment of `T`, or they have more than `isize::MAX` bytes.
    ///
    /// # Safety
    ///
    /// Until `keeper` is dropped, `pointer` must be memory of `device` that holds the elements, each of them a value of `T`, and nothing else
    /// may use it. What was asked for before must be done, or be ordered by [`wait_for_stream`](Device::wait_for_stream). For atomics of 8 and
    /// 16 bits, the memory must consist of whole words of 4 bytes.
    ///
    /// ```
    /// use gpu_runtime::prelude::*;
    ///
    /// let device = Device::cpu();
    /// let mut host = vec![1.0f32, 2.0, 3.0];
    /// let pointer = host.as_mut_ptr();
    /// // SAFETY: the vector holds three elements until the array drops it.
    /// let x = unsafe { DeviceArray::from_raw(&device, pointer, 3, host) };
    /// assert_eq!((x.lazy() * 2.0).to_host()?, [2.0, 4.0, 6.0]);
    /// # Ok::<(), gpu_runtime::Error>(())
    /// ```
    #[must_use]
    pub unsafe fn from_raw(device: &Device, pointer: *mut T, shape: impl Into<Shape>, keeper: impl Send + 'static) -> Self {
        let shape = shape.into();
        let bytes = shape.checked_len().and_then(|len| len.checked_mul(size_of::<T>()));
        // Others give any address for no elements, also null. A slice has none of these.
        let pointer = if bytes == Some(0) { NonNull::dangling().as_ptr() } else { pointer };
        assert!(bytes.is_some_and(|bytes| isize::try_from(bytes).is_ok()), "no memory holds an array of shape {shape}");
        assert!(pointer.addr().is_multiple_of(align_of::<T>()), "the address {pointer:?} is not aligned for its elements");
        // SAFETY: the caller guarantees the memory.
        unsafe { Self::of_foreign(device, pointer, shape, Box::new(keeper)) }
    }

    /// What Python's `__cuda_array_interface__` says of an array: for an extension whose objects CuPy, Numba and PyTorch take.
    ///
    /// # Errors
    ///
    /// [`Error::NotExchangeable`] if the array is on the CPU, or NumPy has no such elements.
    pub fn cuda_array_interface(&self) -> Result<CudaArrayInterface> {
        let refused = |problem: String| Error::NotExchangeable { problem };
        if !self.device().is_gpu() {
            return Err(refused("it is not on a GPU; use DLPack".to_owned()));
        }
        let kind = ElementKind::of::<T>()?;
        let typestr = kind.typestr().ok_or_else(|| refused(format!("NumPy has no elements of type {}; use DLPack", kind.name())))?;
        Ok(CudaArrayInterface { shape: self.shape().extents().to_vec(), typestr, address: self.as_ptr().addr() })
    }
}

/// The entries of Python's `__cuda_array_interface__`, version 3: see [`DeviceArray::cuda_array_interface`]. The elements are contiguous, so
/// `strides` is `None`; `data` is the address and whether the array is read-only.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct CudaArrayInterface {
    /// The extents.
    pub shape: Vec<usize>,
    /// The type of the elements, such as `<f4`.
    pub typestr: String,
    /// The address of the first element.
    pub address: usize,
}

/// Streams of other libraries.
impl Device {
    /// Prepares work of another library on this device, or on this [stream](crate::Stream).
    ///
    /// ```
    /// use gpu_runtime::prelude::*;
    /// # unsafe fn library_scale(_x: *const f32, out: *mut f32, _stream: gpu_runtime::RawStream) { unsafe { out.write(2.0) } }
    /// let device = Device::cpu();
    /// let (x, mut out) = (device.ones::<f32>(1)?, device.zeros::<f32>(1)?);
    /// let (from, to) = (x.as_ptr(), out.as_mut_ptr());
    /// device.lend().reads(&x).writes(&mut out).call(|stream| {
    ///     // SAFETY: both have an element, and the work is put on the stream.
    ///     unsafe { library_scale(from, to, stream) }
    /// })?;
    /// assert_eq!(out.to_host()?, [2.0]);
    /// # Ok::<(), gpu_runtime::Error>(())
    /// ```
    pub fn lend(&self) -> ForeignWork<'_> {
        ForeignWork { device: self, uses: Vec::new() }
    }

    /// Makes later operations on this device, or on this [stream](crate::Stream), wait for everything that another library has put on `stream`
    /// so far. On the CPU, nothing happens.
    ///
    /// # Errors
    ///
    /// [`Error::Driver`] is a GPU that does not work.
    ///
    /// # Safety
    ///
    /// It must be a stream of this device, or null.
    pub unsafe fn wait_for_stream(&self, stream: RawStream) -> Result<()> {
        // SAFETY: the caller guarantees the same.
        unsafe { self.queue().wait_for_stream(stream) }
    }

    /// Makes later work of another library on `stream` wait for everything on this device, or on this [stream](crate::Stream), so far. On the
    /// CPU, nothing happens.
    ///
    /// # Errors
    ///
    /// [`Error::Driver`] is a GPU that does not work.
    ///
    /// # Safety
    ///
    /// It must be a stream of this device, or null.
    pub unsafe fn let_stream_wait(&self, stream: RawStream) -> Result<()> {
        // SAFETY: the caller guarantees the same.
        unsafe { self.queue().let_stream_wait(stream) }
    }
}

/// Work of another library that uses arrays of this one: see [`Device::lend`].
#[must_use = "nothing happens until `call`"]
pub struct ForeignWork<'a> {
    device: &'a Device,
    uses: Vec<MemoryUse<'a>>,
}

impl<'a> ForeignWork<'a> {
    /// It reads this array.
    ///
    /// # Panics
    ///
    /// If the array is on another device.
    #[track_caller]
    pub fn reads<T: DeviceType>(self, array: &'a DeviceArray<T>) -> Self {
        let used = array.shared().memory_use(Access::Read);
        self.with(array.device(), used)
    }

    /// It writes this array.
    ///
    /// # Panics
    ///
    /// If the array is on another device.
    #[track_caller]
    pub fn writes<T: DeviceType>(self, array: &'a mut DeviceArray<T>) -> Self {
        let array: &'a DeviceArray<T> = array;
        let used = array.shared().memory_use(Access::Write);
        self.with(array.device(), used)
    }

    #[track_caller]
    fn with(mut self, device: &Device, used: MemoryUse<'a>) -> Self {
        assert!(self.device == device, "an array on {device} cannot be used on {}", self.device);
        self.uses.push(used);
        self
    }

    /// Calls `work` with the stream on which it runs, after all earlier work with these arrays. Later work with them waits for what `work`
    /// has put on the stream. On a GPU, its context is current.
    ///
    /// # Errors
    ///
    /// [`Error::Driver`] is a GPU that does not work, and [`Error::NotRecordable`] if a graph is being recorded.
    pub fn call<R>(self, work: impl FnOnce(RawStream) -> R) -> Result<R> {
        self.device.queue().lend(&self.uses, work)
    }
}

impl std::fmt::Debug for ForeignWork<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "ForeignWork({} arrays on {})", self.uses.len(), self.device)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::backend::Queue;
    use crate::backend::cuda::fake::{Call, note, take_calls};

    #[test]
    fn work_of_another_library_is_behind_the_writes_of_its_arrays_and_before_the_next_ones() {
        let device = Device::of_queue(Queue::of_fake_gpu());
        let stream = device.stream().unwrap();
        let (x, mut y) = (device.zeros::<f32>(3).unwrap(), device.zeros::<f32>(3).unwrap());
        take_calls();
        let work = |stream: RawStream| note(Call::Work { stream: stream.addr() });
        stream.lend().reads(&x).writes(&mut y).call(work).unwrap();
        let before = [Call::Record { event: 1, stream: 1 }, Call::Wait { stream: 2, event: 1 }, Call::Work { stream: 2 }];
        assert_eq!(take_calls(), before);
        device.lend().reads(&y).call(work).unwrap();
        let after = [Call::Record { event: 2, stream: 2 }, Call::Wait { stream: 1, event: 2 }, Call::Work { stream: 1 }];
        assert_eq!(take_calls(), after);
    }

    #[test]
    fn work_of_another_library_that_panics_is_in_order_too() {
        let device = Device::of_queue(Queue::of_fake_gpu());
        let stream = device.stream().unwrap();
        let x = device.zeros::<f32>(3).unwrap();
        let half_done = || stream.lend().reads(&x).call(|_| panic!("after it has put a copy on the stream"));
        assert!(std::panic::catch_unwind(std::panic::AssertUnwindSafe(half_done)).is_err());
        take_calls();
        let mut x = x;
        device.lend().writes(&mut x).call(|_| ()).unwrap();
        assert!(matches!(take_calls()[..], [Call::Record { stream: 2, .. }, Call::Wait { stream: 1, .. }]));
    }

    #[test]
    fn streams_of_another_library_wait_and_are_waited_for() {
        let device = Device::of_queue(Queue::of_fake_gpu());
        take_calls();
        // SAFETY: the fake driver does not look at the stream.
        unsafe {
            let stream = std::ptr::without_provenance_mut(77);
            device.wait_for_stream(stream).unwrap();
            device.let_stream_wait(stream).unwrap();
        }
        let there = [Call::Record { event: 1, stream: 77 }, Call::Wait { stream: 1, event: 1 }];
        let back = [Call::Record { event: 2, stream: 1 }, Call::Wait { stream: 77, event: 2 }];
        assert_eq!(take_calls(), [there, back].concat());
    }

    #[test]
    fn memory_of_others_is_given_back_when_nothing_uses_it() {
        struct Keeper;

        impl Drop for Keeper {
            fn drop(&mut self) {
                note(Call::Work { stream: 0 });
            }
        }

        let device = Device::of_queue(Queue::of_fake_gpu());
        let stream = device.stream().unwrap();
        let own = device.zeros::<f32>(3).unwrap();
        // SAFETY: the memory is that of `own`, which nobody uses.
        let x = unsafe { DeviceArray::from_raw(&device, own.as_ptr().cast_mut(), 3, Keeper) };
        let live = device.memory().unwrap().live;
        stream.lend().reads(&x).call(|_| ()).unwrap();
        take_calls();
        drop(x);
        assert_eq!(take_calls(), [Call::Synchronize { stream: 2 }, Call::Work { stream: 0 }]);
        assert_eq!(device.memory().unwrap().live, live, "it was not counted");
    }

    #[test]
    fn an_array_describes_itself_as_python_asks() {
        let device = Device::of_queue(Queue::of_fake_gpu());
        let x = device.zeros::<f32>([2, 3]).unwrap();
        let interface = x.cuda_array_interface().unwrap();
        assert_eq!((&interface.shape[..], &*interface.typestr, interface.address), (&[2, 3][..], "<f4", x.as_ptr().addr()));
        let typestr = |interface: Result<CudaArrayInterface>| interface.unwrap().typestr;
        assert_eq!(typestr(device.zeros::<bool>(1).unwrap().cuda_array_interface()), "|b1");
        assert_eq!(typestr(device.zeros::<u64>(1).unwrap().cuda_array_interface()), "<u8");
        assert!(Device::cpu().zeros::<f32>(1).unwrap().cuda_array_interface().is_err());
    }
}
