//! Memory, streams and contexts of the crate cudarc, without copies.
//!
//! cudarc orders the work on its streams by two events of each slice, one for reads and one for writes, as soon as a context has several
//! streams. Here, usage marks do the same. Where memory passes from one to the other, the streams of both wait for each other: ours for the
//! stream and the events of the slice before, and theirs for ours after. Both use the primary context of the GPU.
//!
//! A borrow is a call with a function: the function gets views, which it cannot keep, and when it returns or panics, the streams have been
//! told to wait. A guard would not do: it can be forgotten, and then cudarc could free memory that a kernel still uses.
//!
//! Streams need less care, as they have no memory: what uses memory of the other side says so in one of the ways above, whatever its stream.
//! cudarc orders its own work only while it knows of several streams, and must do so once it has one of ours.

use std::mem::ManuallyDrop;
use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError};

use cudarc::driver::{CudaContext, CudaSlice, CudaStream, CudaView, CudaViewMut, DevicePtr, DevicePtrMut, SyncOnDrop};

use super::raw::Owner;
use super::{DeviceArray, DeviceSlice, DeviceSliceMut};
use crate::backend::{Access, MemoryUse, Usage};
use crate::device::Device;
use crate::source::DeviceType;
use crate::stream::Stream;
use crate::{Error, Result};

/// Contexts, streams and slices of the crate cudarc.
impl Device {
    /// The GPU of a context of cudarc, which must be the primary one, as [`CudaContext::new`] returns it.
    ///
    /// # Errors
    ///
    /// [`Error::NotExchangeable`] if it is another context, and those of [`Device::gpu`].
    pub fn from_cudarc(context: &CudaContext) -> Result<Self> {
        match context.is_primary() {
            true => Self::gpu(context.ordinal()),
            false => Err(refused("the context of cudarc is not the primary one of the GPU")),
        }
    }

    /// The primary context of this GPU, which this crate uses too.
    ///
    /// # Errors
    ///
    /// [`Error::NotExchangeable`] on the CPU, or if cudarc cannot retain the context.
    pub fn cudarc_context(&self) -> Result<Arc<CudaContext>> {
        let ordinal = self.ordinal().ok_or_else(|| refused("the CPU has no context"))?;
        CudaContext::new(ordinal).map_err(|error| refused(&format!("cudarc: {error}")))
    }

    /// This stream, or the stream of this device, as one of cudarc. What cudarc puts there and what this crate puts there is in the order of the
    /// calls. It may be kept for any time. `context` is the one of the slices that it is used with.
    ///
    /// [`borrow_cudarc_stream`](Self::borrow_cudarc_stream) is safe, for a stream of theirs.
    ///
    /// ```no_run
    /// use gpu_runtime::prelude::*;
    ///
    /// let device = Device::gpu(0)?;
    /// let (stream, context) = (device.stream()?, device.cudarc_context()?);
    /// // SAFETY: nothing is captured on it.
    /// let theirs = unsafe { stream.cudarc_stream(&context)? }; // for libraries that take a `CudaStream`
    /// let slice = theirs.clone_htod(&[1.0f32, 2.0, 3.0]).unwrap();
    /// assert_eq!(stream.borrow_cudarc(&slice, |x| x.lazy().sum())?, 6.0); // on the same stream
    /// # Ok::<(), gpu_runtime::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::NotExchangeable`] if the context is not the primary one of this device, or cudarc has failed.
    ///
    /// # Safety
    ///
    /// Work on the stream is not captured into a graph of cudarc: launches of this crate that come to the same stream would become a part of the
    /// graph, which could run them when their arrays are gone.
    pub unsafe fn cudarc_stream(&self, context: &Arc<CudaContext>) -> Result<Arc<CudaStream>> {
        our_stream(self, context)
    }

    /// Calls `work` with a stream of this device that is part of a stream of cudarc: all that is put there during the call runs after the work
    /// of `theirs` so far, and before its later work. The host does not wait.
    ///
    /// ```no_run
    /// use gpu_runtime::prelude::*;
    ///
    /// #[gpu_kernel]
    /// fn scale(x: &mut [f32], by: f32) {
    ///     let i = grid_1d();
    ///     if i < x.len() {
    ///         x[i] *= by;
    ///     }
    /// }
    ///
    /// let device = Device::gpu(0)?;
    /// let theirs = device.cudarc_context()?.default_stream();
    /// let mut x = device.to_device(&[1.0f32, 2.0, 3.0])?;
    /// device.borrow_cudarc_stream(&theirs, |stream| scale(&mut x, 2.0).on(stream).forall(3))?;
    /// # Ok::<(), gpu_runtime::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Those of `work`; [`Error::NotExchangeable`] if the stream is one of another device, or its work is captured into a graph; [`Error::Driver`] if
    /// the GPU does not work.
    pub fn borrow_cudarc_stream<R>(&self, theirs: &Arc<CudaStream>, work: impl FnOnce(&Stream) -> Result<R>) -> Result<R> {
        check_context(self, theirs.context())?;
        let stream = self.stream()?;
        // SAFETY: `theirs` is a stream of this GPU.
        unsafe { stream.wait_for_stream(theirs.cu_stream().cast())? };
        let part = PartOfStream { stream, theirs };
        work(&part.stream)
    }

    /// Calls `work` with the elements of a slice of cudarc, to read. Kernels and array functions run on this device, or on this
    /// [stream](crate::Stream), after the work of cudarc that writes the slice; later work of cudarc waits for them. Nothing is copied, and the
    /// host does not wait.
    ///
    /// ```no_run
    /// use gpu_runtime::prelude::*;
    ///
    /// let device = Device::gpu(0)?;
    /// let theirs = device.cudarc_context()?.default_stream().clone_htod(&[1.0f32, 2.0, 3.0]).unwrap();
    /// let sum = device.borrow_cudarc(&theirs, |x| x.lazy().sum())?;
    /// assert_eq!(sum, 6.0);
    /// # Ok::<(), gpu_runtime::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Those of `work`; [`Error::NotExchangeable`] if the slice is on another device, or cudarc has failed; [`Error::Driver`] is a GPU that does
    /// not work.
    pub fn borrow_cudarc<T: DeviceType, R>(&self, slice: &CudaSlice<T>, work: impl FnOnce(DeviceSlice<'_, T>) -> Result<R>) -> Result<R> {
        let (ours, theirs) = (our_stream(self, slice.context())?, Arc::clone(slice.stream()));
        let (address, after) = slice.device_ptr(&ours);
        let borrow = Borrow::begin(self, &theirs, address..address + slice.num_bytes() as u64, after)?;
        // SAFETY: the slice has that many elements on this device, and is borrowed. Nothing of cudarc that is asked for meanwhile writes it, and
        // what was asked for before is done first.
        work(unsafe { DeviceSlice::new(borrow.owner(), pointer_to(address), slice.len()) })
    }

    /// The same for a slice that `work` may write.
    ///
    /// # Errors
    ///
    /// As for [`borrow_cudarc`](Self::borrow_cudarc).
    pub fn borrow_cudarc_mut<T: DeviceType, R>(
        &self,
        slice: &mut CudaSlice<T>,
        work: impl FnOnce(DeviceSliceMut<'_, T>) -> Result<R>,
    ) -> Result<R> {
        let (ours, theirs, len) = (our_stream(self, slice.context())?, Arc::clone(slice.stream()), slice.len());
        let bytes = slice.num_bytes() as u64;
        let (address, after) = slice.device_ptr_mut(&ours);
        let borrow = Borrow::begin(self, &theirs, address..address + bytes, after)?;
        // SAFETY: as above, and the borrow is exclusive.
        work(unsafe { DeviceSliceMut::new(borrow.owner(), pointer_to(address), len) })
    }
}

impl<T: DeviceType> DeviceArray<T> {
    /// An array in the memory of a slice of cudarc, on this device or on this [stream](crate::Stream), after all earlier work of cudarc with it.
    /// When the array is dropped, it waits for the work that uses it, and then cudarc frees the memory.
    ///
    /// # Errors
    ///
    /// As for [`Device::borrow_cudarc`].
    pub fn from_cudarc(device: &Device, mut slice: CudaSlice<T>) -> Result<Self> {
        let (ours, theirs, len) = (our_stream(device, slice.context())?, Arc::clone(slice.stream()), slice.len());
        let (address, _) = slice.device_ptr_mut(&ours);
        // SAFETY: `theirs` is a stream of this GPU.
        unsafe { device.wait_for_stream(theirs.cu_stream().cast())? };
        check_health(&ours)?;
        // SAFETY: the slice has that many elements on this device, and the array owns it. All earlier work is before what comes on the queue.
        let array = unsafe { Self::from_raw(device, pointer_to(address), len, slice) };
        // What comes on other queues waits for this one.
        device.queue().ordered(&[array.shared().memory_use(Access::Write)], || Ok(()))?;
        Ok(array)
    }

    /// A slice of cudarc in the memory of this array, which cudarc frees. Later work on `stream` runs after all earlier work with the
    /// array.
    ///
    /// # Errors
    ///
    /// [`Error::NotExchangeable`] if the array is on another device or on the CPU, or in memory that belongs to somebody else or to the host,
    /// such as [managed](Device::managed) memory; [`Error::Driver`] is a GPU that does not work.
    pub fn into_cudarc(self, stream: &Arc<CudaStream>) -> Result<CudaSlice<T>> {
        check_context(self.device(), stream.context())?;
        if self.is_empty() {
            return stream.null().map_err(|error| refused(&format!("cudarc: {error}")));
        }
        if !self.memory().is_freed_by_the_driver() {
            return Err(refused("its memory does not come from this device alone; copy it"));
        }
        let used = self.shared().memory_use(Access::Write);
        let raw = stream.cu_stream().cast();
        // SAFETY: it is a stream of this GPU, which is borrowed.
        self.device().queue().ordered(&[used], || unsafe { self.device().let_stream_wait(raw) })?;
        let len = self.len();
        // SAFETY: the memory comes from the driver as that of cudarc does, holds as many elements, and nobody else frees it.
        Ok(unsafe { stream.upgrade_device_ptr(self.into_memory().release().addr() as u64, len) })
    }

    /// Calls `work` with the elements as a view of cudarc, to read. Work of cudarc runs after earlier work with this array on `stream`, or on
    /// other streams of its context; later work with this array waits for it. Nothing is copied, and the host does not wait.
    ///
    /// ```no_run
    /// use gpu_runtime::prelude::*;
    ///
    /// let device = Device::gpu(0)?;
    /// let x = device.to_device(&[1.0f32, 2.0, 3.0])?;
    /// let theirs = device.cudarc_context()?.default_stream();
    /// let host = x.with_cudarc(&theirs, |x| theirs.clone_dtoh(&x))?.unwrap();
    /// assert_eq!(host, [1.0, 2.0, 3.0]);
    /// # Ok::<(), gpu_runtime::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::NotExchangeable`] if the stream is one of another device, and [`Error::Driver`] is a GPU that does not work. What `work` returns
    /// is returned as it is.
    pub fn with_cudarc<R>(&self, stream: &Arc<CudaStream>, work: impl FnOnce(CudaView<'_, T>) -> R) -> Result<R> {
        let used = self.shared().memory_use(Access::Read);
        // SAFETY: the view is for reading.
        unsafe { self.lend_to_cudarc(stream, &used, |slice| work(slice.as_view())) }
    }

    /// The same for elements that `work` may write.
    ///
    /// # Errors
    ///
    /// As for [`with_cudarc`](Self::with_cudarc).
    pub fn with_cudarc_mut<R>(&mut self, stream: &Arc<CudaStream>, work: impl FnOnce(CudaViewMut<'_, T>) -> R) -> Result<R> {
        let array: &Self = self;
        let used = array.shared().memory_use(Access::Write);
        // SAFETY: the array is borrowed exclusively.
        unsafe { array.lend_to_cudarc(stream, &used, |slice| work(slice.as_view_mut())) }
    }

    /// # Safety
    ///
    /// `work` must use the elements as `used` says, and leave the slice where it is.
    unsafe fn lend_to_cudarc<R>(
        &self,
        stream: &Arc<CudaStream>,
        used: &MemoryUse<'_>,
        work: impl FnOnce(&mut CudaSlice<T>) -> R,
    ) -> Result<R> {
        check_context(self.device(), stream.context())?;
        let_order_by_events(stream.context())?;
        self.device().queue().lend(std::slice::from_ref(used), |ours| {
            // SAFETY: `stream` is one of this GPU, which is borrowed.
            unsafe { self.device().let_stream_wait(stream.cu_stream().cast())? };
            // SAFETY: the memory holds as many elements. `Lent` does not free it.
            let slice = unsafe { stream.upgrade_device_ptr(self.as_ptr().addr() as u64, self.len()) };
            // SAFETY: the streams of this crate are never destroyed.
            let ours = unsafe { stream.context().wrap_borrowed_stream(ours.cast()) };
            let mut lent = Lent { slice: ManuallyDrop::new(slice), ours, device: self.device() };
            // Other streams of cudarc wait for this one.
            drop(lent.slice.device_ptr_mut(stream).1);
            Ok(work(&mut lent.slice))
        })?
    }
}

/// Elements of ours that cudarc uses, until this is dropped.
struct Lent<'a, T> {
    slice: ManuallyDrop<CudaSlice<T>>,
    ours: Arc<CudaStream>,
    device: &'a Device,
}

impl<T> Drop for Lent<'_, T> {
    fn drop(&mut self) {
        // Our stream waits for the reads and writes on all streams of cudarc, and for the stream to which the elements were lent.
        drop(self.slice.device_ptr_mut(&self.ours).1);
        let stream = Arc::clone(self.slice.stream());
        // SAFETY: `stream` is one of this GPU.
        if unsafe { self.device.wait_for_stream(stream.cu_stream().cast()) }.is_err() {
            let _ = stream.synchronize();
        }
        // SAFETY: the slice is not used again. The array still owns the memory, so it is leaked here.
        unsafe { ManuallyDrop::take(&mut self.slice) }.leak();
    }
}

/// Elements of cudarc that we use, until this is dropped.
struct Borrow<'a> {
    device: &'a Device,
    theirs: &'a CudaStream,
    usage: Usage,
    bytes: Range<u64>,
    /// Tells cudarc, when it is dropped, that our stream has used the elements.
    after: Option<SyncOnDrop<'a>>,
}

impl<'a> Borrow<'a> {
    /// `after` comes from the slice, for whose events our stream waits already.
    fn begin(device: &'a Device, theirs: &'a CudaStream, bytes: Range<u64>, after: SyncOnDrop<'a>) -> Result<Self> {
        let borrow = Self { device, theirs, usage: Usage::of_foreign(bytes.clone()), bytes, after: Some(after) };
        // SAFETY: `theirs` is a stream of this GPU.
        unsafe { device.wait_for_stream(theirs.cu_stream().cast())? };
        check_health(theirs)?;
        // What comes on other queues waits for this one.
        borrow.order()?;
        Ok(borrow)
    }

    fn owner(&self) -> Owner<'_> {
        Owner { device: self.device, usage: &self.usage }
    }

    /// Puts our queue after all uses of the elements on ours, and before those to come on others.
    fn order(&self) -> Result<()> {
        let used = MemoryUse { usage: &self.usage, bytes: self.bytes.clone(), access: Access::Write };
        self.device.queue().ordered(&[used], || Ok(()))
    }
}

impl Drop for Borrow<'_> {
    fn drop(&mut self) {
        let ordered = self.order();
        drop(self.after.take());
        // SAFETY: `theirs` is a stream of this GPU.
        let connected = ordered.and_then(|()| unsafe { self.device.let_stream_wait(self.theirs.cu_stream().cast()) });
        if connected.is_err() {
            // The context is lost, or in a state in which the failure comes back to the next call.
            let _ = self.device.queue().wait_for_users(&self.usage);
        }
    }
}

/// Our stream as a part of one of cudarc, until this is dropped.
struct PartOfStream<'a> {
    stream: Stream,
    theirs: &'a CudaStream,
}

impl Drop for PartOfStream<'_> {
    fn drop(&mut self) {
        // SAFETY: `theirs` is a stream of this GPU.
        if unsafe { self.stream.let_stream_wait(self.theirs.cu_stream().cast()) }.is_err() {
            // The context is lost, or in a state in which the failure comes back to the next call.
            let _ = self.stream.record().and_then(|event| event.synchronize());
        }
    }
}

/// Lets cudarc order the work of all streams of this context by events, from now on: it does so while it knows of a stream that it has made.
fn let_order_by_events(context: &Arc<CudaContext>) -> Result<()> {
    /// A stream of each context that has one of ours.
    static KEPT: Mutex<Vec<Arc<CudaStream>>> = Mutex::new(Vec::new());

    let mut kept = KEPT.lock().unwrap_or_else(PoisonError::into_inner);
    if !kept.iter().any(|stream| Arc::ptr_eq(stream.context(), context)) {
        kept.push(context.new_stream().map_err(|error| refused(&format!("cudarc: {error}")))?);
    }
    Ok(())
}

fn pointer_to<T>(address: u64) -> *mut T {
    std::ptr::without_provenance_mut(address as usize)
}

/// The stream of this handle, as one of cudarc, which orders work with it by events.
fn our_stream(device: &Device, context: &Arc<CudaContext>) -> Result<Arc<CudaStream>> {
    check_context(device, context)?;
    let_order_by_events(context)?;
    let stream = device.queue().lend(&[], |stream| stream)?;
    // SAFETY: the stream is one of this context, and streams of this crate are never destroyed. What cudarc asks of it is ordered here.
    Ok(unsafe { context.wrap_borrowed_stream(stream.cast()) })
}

fn check_context(device: &Device, context: &CudaContext) -> Result<()> {
    match device.ordinal() {
        Some(ordinal) if ordinal == context.ordinal() && context.is_primary() => Ok(()),
        _ => Err(refused(&format!("the context of cudarc is not the primary one of {device}"))),
    }
}

/// Whether cudarc could do what it was told: its waits do not say so.
fn check_health(stream: &CudaStream) -> Result<()> {
    stream.context().check_err().map_err(|error| refused(&format!("cudarc: {error}")))
}

fn refused(problem: &str) -> Error {
    Error::NotExchangeable { problem: problem.to_owned() }
}
