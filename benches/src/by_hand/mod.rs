//! The reference: CUDA C as a person writes it, through the driver API as a person calls it.
//!
//! Everything is on one stream of the first GPU's primary context. Memory and modules are released when the process ends.

mod cublas;
mod nvrtc;

use std::ffi::{CString, c_void};
use std::marker::PhantomData;

use cudarc::driver::result;
use cudarc::driver::sys::{self, CUdevice_attribute as Attribute};

use crate::Result;

pub use cublas::Sgemm;
pub use nvrtc::cubin as compile;

/// The first GPU, through the driver API.
#[derive(Debug)]
pub struct Cuda {
    device: sys::CUdevice,
    stream: sys::CUstream,
}

/// A kernel that is loaded.
#[derive(Debug, Clone, Copy)]
pub struct Function(sys::CUfunction);

/// A point of a stream.
#[derive(Debug, Clone, Copy)]
pub struct Event(sys::CUevent);

/// Launches that are captured, ready to launch together.
#[derive(Debug)]
pub struct Graph(sys::CUgraphExec);

/// Elements in device memory.
#[derive(Debug)]
pub struct Memory<T> {
    address: sys::CUdeviceptr,
    len: usize,
    elements: PhantomData<T>,
}

/// The arguments of a kernel, as the driver takes them.
#[derive(Debug)]
pub struct Arguments {
    /// What `pointers` point to, each in eight bytes of its own.
    _values: Box<[u64]>,
    pointers: Vec<*mut c_void>,
}

impl Cuda {
    /// Opens the first GPU. There must be one: `Device::gpu(0)` has succeeded.
    pub fn open() -> Result<Self> {
        result::init()?;
        let device = result::device::get(0)?;
        // SAFETY: the driver gave the device, and the context is never released.
        unsafe { result::ctx::set_current(result::primary_ctx::retain(device)?)? };
        Ok(Self { device, stream: result::stream::create(result::stream::StreamKind::Default)? })
    }

    /// The same GPU, with another stream.
    pub fn on_new_stream(&self) -> Result<Self> {
        Ok(Self { device: self.device, stream: result::stream::create(result::stream::StreamKind::Default)? })
    }

    /// An event for [`follow`](Self::follow).
    pub fn event(&self) -> Result<Event> {
        Ok(Event(result::event::create(sys::CUevent_flags::CU_EVENT_DISABLE_TIMING)?))
    }

    /// Lets the stream wait for everything on the stream of `earlier` so far, for which the event is recorded.
    pub fn follow(&self, earlier: &Self, event: Event) -> Result<()> {
        // SAFETY: neither streams nor events are ever destroyed.
        unsafe {
            result::event::record(event.0, earlier.stream)?;
            result::stream::wait_event(self.stream, event.0, sys::CUevent_wait_flags::CU_EVENT_WAIT_DEFAULT)?;
        }
        Ok(())
    }

    /// Captures what `work` puts on the stream.
    pub fn capture(&self, work: impl FnOnce() -> Result<()>) -> Result<Graph> {
        let (mut graph, mut executable) = (std::ptr::null_mut(), std::ptr::null_mut());
        // SAFETY: the stream is never destroyed, and the calls write one handle each.
        unsafe {
            sys::cuStreamBeginCapture_v2(self.stream, sys::CUstreamCaptureMode::CU_STREAM_CAPTURE_MODE_THREAD_LOCAL).result()?;
            work()?;
            sys::cuStreamEndCapture(self.stream, &mut graph).result()?;
            sys::cuGraphInstantiateWithFlags(&mut executable, graph, 0).result()?;
        }
        Ok(Graph(executable))
    }

    /// Launches what was captured.
    pub fn launch_graph(&self, graph: &Graph) -> Result<()> {
        // SAFETY: neither is ever destroyed, nor are the arrays of the launches.
        Ok(unsafe { sys::cuGraphLaunch(graph.0, self.stream) }.result()?)
    }

    /// What the device says about itself.
    pub fn attribute(&self, attribute: Attribute) -> Result<i32> {
        // SAFETY: the driver gave the device.
        Ok(unsafe { result::device::get_attribute(self.device, attribute)? })
    }

    /// The compute capability: 9, 0 for a Hopper.
    pub fn capability(&self) -> Result<(i32, i32)> {
        let major = self.attribute(Attribute::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR)?;
        Ok((major, self.attribute(Attribute::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR)?))
    }

    /// The name that compilers have for the GPU, such as `sm_90`.
    pub fn architecture(&self) -> Result<String> {
        self.capability().map(|(major, minor)| format!("sm_{major}{minor}"))
    }

    /// Compiles CUDA C to machine code for this GPU, with NVRTC's own defaults, and loads the kernel `name` of it.
    pub fn compile(&self, source: &str, name: &str) -> Result<Function> {
        self.load(&nvrtc::cubin(source, &self.architecture()?)?, name)
    }

    /// Loads the kernel `name` of a cubin.
    pub fn load(&self, cubin: &[u8], name: &str) -> Result<Function> {
        // SAFETY: the image is a whole cubin, and the module is never unloaded.
        unsafe {
            let module = result::module::load_data(cubin.as_ptr().cast())?;
            Ok(Function(result::module::get_function(module, CString::new(name)?)?))
        }
    }

    /// Device memory with these elements.
    pub fn upload<T: Copy>(&self, host: &[T]) -> Result<Memory<T>> {
        let memory = self.allocate(host.len())?;
        // SAFETY: the memory was just allocated with room for every element.
        unsafe { result::memcpy_htod_sync(memory.address, host)? };
        Ok(memory)
    }

    /// Device memory for that many elements, all bytes zero.
    pub fn zeros<T: Copy>(&self, len: usize) -> Result<Memory<T>> {
        let memory = self.allocate(len)?;
        // SAFETY: the memory was just allocated with that many bytes.
        unsafe { result::memset_d8_sync(memory.address, 0, len * size_of::<T>())? };
        Ok(memory)
    }

    fn allocate<T>(&self, len: usize) -> Result<Memory<T>> {
        // SAFETY: what is allocated is written before it is read, by both callers.
        let address = unsafe { result::malloc_sync(len * size_of::<T>())? };
        Ok(Memory { address, len, elements: PhantomData })
    }

    /// A copy of the elements from `start` on, as many as `host` has.
    pub fn download<T: Copy>(&self, memory: &Memory<T>, start: usize, host: &mut [T]) -> Result<()> {
        assert!(start + host.len() <= memory.len);
        self.synchronize()?;
        // SAFETY: the range is part of the memory.
        unsafe { result::memcpy_dtoh_sync(host, memory.address + (start * size_of::<T>()) as u64) }.map_err(Into::into)
    }

    /// Queues a copy of `source` to `target`.
    pub fn copy<T: Copy>(&self, source: &Memory<T>, target: &mut Memory<T>) -> Result<()> {
        assert_eq!(source.len, target.len);
        // SAFETY: both are memory of this device with as many bytes, and are never freed.
        unsafe { result::memcpy_dtod_async(target.address, source.address, source.len * size_of::<T>(), self.stream) }.map_err(Into::into)
    }

    /// Seconds of copies between pinned memory of the host and the device, both ways at once, each on a stream of its own:
    /// `to` bytes there, `back` bytes back.
    pub fn pinned_copies(&self, to: usize, back: usize) -> Result<impl FnMut() -> Result<f64> + use<>> {
        let (source, mut target) = (Pinned::new(to)?, Pinned::new(back)?);
        let (there, from) = (self.zeros::<u8>(to)?, self.zeros::<u8>(back)?);
        let streams = [(); 2].map(|()| result::stream::create(result::stream::StreamKind::NonBlocking));
        let [forth, home] = [streams[0]?, streams[1]?];
        Ok(move || {
            crate::measure::seconds(|| {
                // SAFETY: the ranges are as long as the copies, which are waited for. The streams are never destroyed.
                unsafe {
                    result::memcpy_htod_async(there.address, source.as_slice(), forth)?;
                    result::memcpy_dtoh_async(target.as_mut_slice(), from.address, home)?;
                    result::stream::synchronize(forth)?;
                    result::stream::synchronize(home)?;
                }
                Ok(())
            })
        })
    }

    /// Queues a launch.
    ///
    /// # Safety
    ///
    /// The kernel takes these arguments, and with this shape it stays inside the memory that they name and has no races.
    #[inline]
    pub unsafe fn launch(&self, kernel: Function, grid: [u32; 2], block: [u32; 2], arguments: &mut Arguments) -> Result<()> {
        let parameters = arguments.pointers.as_mut_ptr();
        let extra = std::ptr::null_mut();
        // SAFETY: the caller guarantees this.
        let status =
            unsafe { sys::cuLaunchKernel(kernel.0, grid[0], grid[1], 1, block[0], block[1], 1, 0, self.stream, parameters, extra) };
        status.result().map_err(Into::into)
    }

    /// Waits until everything queued is done.
    pub fn synchronize(&self) -> Result<()> {
        // SAFETY: the stream is never destroyed.
        unsafe { result::stream::synchronize(self.stream) }.map_err(Into::into)
    }
}

/// Page-locked bytes of the host, zero at first.
struct Pinned {
    start: *mut u8,
    bytes: usize,
}

impl Pinned {
    fn new(bytes: usize) -> Result<Self> {
        // SAFETY: the memory is at least as aligned as a page, and is written before anyone reads it.
        unsafe {
            let start: *mut u8 = result::malloc_host(bytes, 0)?.cast();
            start.write_bytes(0, bytes);
            Ok(Self { start, bytes })
        }
    }

    fn as_slice(&self) -> &[u8] {
        // SAFETY: the memory is ours, that long, and initialised.
        unsafe { std::slice::from_raw_parts(self.start, self.bytes) }
    }

    fn as_mut_slice(&mut self) -> &mut [u8] {
        // SAFETY: as above.
        unsafe { std::slice::from_raw_parts_mut(self.start, self.bytes) }
    }
}

impl Drop for Pinned {
    fn drop(&mut self) {
        // SAFETY: the memory comes from `cuMemHostAlloc`, and its copies were waited for. An error has nobody to go to.
        let _ = unsafe { result::free_host(self.start.cast()) };
    }
}

impl<T> Memory<T> {
    /// The device address, for [`Arguments`].
    #[must_use]
    pub fn address(&self) -> u64 {
        self.address
    }
}

impl Arguments {
    /// Each argument in the low bytes of a `u64`: an address, a count, the bits of a float.
    #[must_use]
    pub fn new(values: &[u64]) -> Self {
        let mut values: Box<[u64]> = values.into();
        let pointers = values.iter_mut().map(|value| std::ptr::from_mut(value).cast()).collect();
        Self { _values: values, pointers }
    }
}
