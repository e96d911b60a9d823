//! Where kernels run and arrays live.

use std::fmt;

use crate::backend::{Checks, MemoryInfo, MemoryUsage, Queue, cuda};
use crate::{Error, Result};

/// A GPU, or the processor of this machine.
///
/// A device is a handle that is cheap to clone. All operations on one device run in the order of the calls, from any thread. Launches on a
/// GPU return before they are done, and calls that read results wait for them. Operations that are independent of each other can run at the
/// same time on [streams](crate::Stream).
///
/// When a thread of a kernel fails (an index out of bounds, a panic), the launch itself still succeeds, because it may return before the
/// kernel runs. The next call that waits in order to read returns the failure: [`synchronize`], [`DeviceArray::to_host`](crate::DeviceArray::to_host) or
/// [`DeviceArray::copy_to_host`](crate::DeviceArray::copy_to_host). It is returned once, by the first of these calls, on any thread. It is the first failure of all kernels
/// that were launched on the same [stream](crate::Stream) before the report, and has the number of threads that failed. A failure belongs to
/// its stream: other streams do not see it, unless they read an array that this stream has written. Host threads that must know whose kernel
/// failed use a stream each. Calls that both launch and wait, such as `to_host` and `sum` of array functions, never succeed because another
/// thread received the report of their failure: they return any failure of the stream that was reported while they ran.
///
/// [`synchronize`]: Device::synchronize
///
/// ```
/// use gpu_runtime::prelude::*;
///
/// let device = Device::cpu();
/// let x = device.to_device(&[1.0f32, 2.0, 3.0])?;
/// assert_eq!(x.to_host()?, [1.0, 2.0, 3.0]);
/// # Ok::<(), gpu_runtime::Error>(())
/// ```
#[derive(Clone)]
pub struct Device(Queue);

impl Device {
    /// The first GPU, or the CPU if there is no usable GPU.
    ///
    /// # Errors
    ///
    /// A GPU that is installed but does not work is an error; the CPU is not used instead.
    pub fn best() -> Result<Self> {
        match Self::gpu(0) {
            Err(Error::DriverNotFound { .. } | Error::DriverIsStub | Error::DriverTooOld { .. } | Error::NoGpu) => Ok(Self::cpu()),
            found => found,
        }
    }

    /// The GPU with this number, as CUDA counts: from 0, among those in `CUDA_VISIBLE_DEVICES`.
    ///
    /// The first call for a GPU creates its context, which takes a few tenths of a second.
    ///
    /// # Errors
    ///
    /// [`Error::DriverNotFound`], [`Error::DriverIsStub`], [`Error::DriverTooOld`], [`Error::NoGpu`] and [`Error::GpuOutOfRange`] if
    /// something is missing; [`Error::Driver`] if the GPU does not work.
    pub fn gpu(ordinal: usize) -> Result<Self> {
        Queue::of_gpu(ordinal).map(Self)
    }

    /// The CPU of this machine.
    ///
    /// All handles to it are the same device, and one launch can use arrays of several handles. A failure of a kernel is reported through
    /// the handles (and clones of them) that created the launch's arrays. So independent parts of a program, each with its own handle, do
    /// not see each other's failures.
    ///
    /// Launches run on the calling thread and on rayon's global pool, and return when the kernel is done. Like all work for rayon, they
    /// wait if the pool is busy: do not hold a lock during a launch that the pool's tasks wait for.
    #[must_use]
    pub fn cpu() -> Self {
        Self(Queue::of_cpu(Checks::None))
    }

    /// The CPU of this machine, where launches are checked: a launch fails at the first data race in global or shared memory, at the
    /// first read of shared memory that nothing wrote, and at the first integer that overflows. The error has both places in the source and
    /// both threads: [`FailureCause::DataRace`](crate::FailureCause::DataRace).
    ///
    /// Overflow is found in programs with debug assertions: those of `cargo test` and `cargo run`, as in the rest of a Rust program. For
    /// kernels whose integers wrap around on purpose, without `wrapping_add`, there is [`memory_checked_cpu`](Self::memory_checked_cpu).
    ///
    /// `GPU_RUNTIME_CHECK=1` in the environment makes every [`cpu`](Self::cpu) such a device. CUDA has the program `compute-sanitizer`,
    /// with its tools `racecheck`, `initcheck` and `synccheck`, which needs a GPU. A checked launch runs on one thread and is many times
    /// slower.
    ///
    /// ```
    /// use gpu_runtime::prelude::*;
    /// use gpu_runtime::{Error, FailureCause};
    ///
    /// #[gpu_kernel]
    /// fn sum(x: &[u32], total: &mut [u32]) {
    ///     let i = grid_1d();
    ///     if i < x.len() {
    ///         total[0] += x[i]; // all threads at once: this needs an atomic
    ///     }
    /// }
    ///
    /// let device = Device::checked_cpu();
    /// let x = device.to_device(&[1, 2, 3])?;
    /// let mut total = device.zeros::<u32>(1)?;
    /// // SAFETY: the checker ends the launch before a second thread accesses the element.
    /// unsafe { sum(&x, &mut total).launch_unchecked(1, 32)? };
    /// let Err(Error::KernelFailed(failure)) = device.synchronize() else { panic!("the race was not found") };
    /// let FailureCause::DataRace(race) = failure.cause else { panic!("not a data race") };
    /// assert_eq!((race.array, race.index, race.other_thread), ("total", 0, [0, 0, 0]));
    /// # Ok::<(), gpu_runtime::Error>(())
    /// ```
    #[must_use]
    pub fn checked_cpu() -> Self {
        Self(Queue::of_cpu(Checks::All))
    }

    /// [`checked_cpu`](Self::checked_cpu) for kernels whose integers may wrap around. `GPU_RUNTIME_CHECK=memory` in the environment makes every
    /// [`cpu`](Self::cpu) such a device.
    ///
    /// ```
    /// use gpu_runtime::prelude::*;
    ///
    /// #[gpu_kernel]
    /// fn hash(x: &[u32], out: &mut [u32]) {
    ///     let i = grid_1d();
    ///     if i < out.len() {
    ///         out[i] = x[i] * 0x9e37_79b9;
    ///     }
    /// }
    ///
    /// let device = Device::memory_checked_cpu();
    /// let x = device.to_device(&[1u32, 2, 3])?;
    /// let mut out = device.zeros::<u32>(3)?;
    /// hash(&x, &mut out).launch(1, 32)?;
    /// assert_eq!(out.to_host()?[1], 2u32.wrapping_mul(0x9e37_79b9));
    /// # Ok::<(), gpu_runtime::Error>(())
    /// ```
    #[must_use]
    pub fn memory_checked_cpu() -> Self {
        Self(Queue::of_cpu(Checks::Memory))
    }

    /// All GPUs that work, in order, followed by the CPU.
    ///
    /// [`diagnostics`](crate::diagnostics()) explains why a GPU is missing.
    #[must_use]
    pub fn all() -> Vec<Self> {
        let count = match cuda::gpu_count() {
            Ok(Ok(count)) => count,
            _ => 0,
        };
        (0..count).filter_map(|ordinal| Self::gpu(ordinal).ok()).chain([Self::cpu()]).collect()
    }

    /// The name of the device, such as `NVIDIA H200` or `CPU (x86_64, 16 threads)`.
    #[must_use]
    pub fn name(&self) -> &str {
        self.0.device_name()
    }

    /// The number of the GPU, as CUDA counts, for other libraries; `None` for the CPU.
    #[must_use]
    pub fn ordinal(&self) -> Option<usize> {
        self.0.ordinal()
    }

    /// Whether the device is a GPU.
    #[must_use]
    pub fn is_gpu(&self) -> bool {
        self.0.is_gpu()
    }

    /// Waits until all operations on this device are done, on all streams: `cuda.synchronize()`. Through a [`Stream`](crate::Stream), waits
    /// for the operations of that stream.
    ///
    /// # Errors
    ///
    /// [`Error::KernelFailed`] if a kernel failed since the last report.
    pub fn synchronize(&self) -> Result<()> {
        if self.0.is_of_stream() { self.0.synchronize() } else { self.0.synchronize_device() }
    }

    /// Sets the stack of each thread of later launches on this GPU to `bytes`: `cudaDeviceSetLimit(cudaLimitStackSize, bytes)`.
    ///
    /// Recursive device functions may need it: by default, CUDA gives a thread 1024 bytes. It rounds `bytes` up to a multiple of 16, and
    /// reserves the memory for every thread that the GPU can hold at once (an H200: 270 thousand). A kernel that overflows its stack ends
    /// with the driver's error `CUDA_ERROR_ILLEGAL_ADDRESS` or `CUDA_ERROR_LAUNCH_FAILED`; after that, the process can no longer use the
    /// GPU.
    ///
    /// On the CPU, nothing changes: kernels run on the calling thread and on rayon's threads. The size of their stacks (2 MiB for rayon's
    /// by default) is set when they are created, for example by `rayon::ThreadPoolBuilder::stack_size`. A stack overflow ends the process.
    ///
    /// # Errors
    ///
    /// [`Error::Driver`] if the GPU does not have enough memory, or if a thread cannot have a stack of this size.
    ///
    /// ```
    /// use gpu_runtime::prelude::*;
    ///
    /// let device = Device::best()?;
    /// device.set_stack_size(4096)?;
    /// assert!(device.stack_size()?.is_none_or(|bytes| bytes >= 4096));
    /// # Ok::<(), gpu_runtime::Error>(())
    /// ```
    pub fn set_stack_size(&self, bytes: usize) -> Result<()> {
        self.0.set_stack_size(bytes)
    }

    /// The bytes of stack that each thread of a launch on this GPU has; `None` on the CPU.
    ///
    /// # Errors
    ///
    /// [`Error::Driver`] is a GPU that does not work.
    pub fn stack_size(&self) -> Result<Option<usize>> {
        self.0.stack_size()
    }

    /// The total and the free memory of this GPU: `cudaMemGetInfo`, Numba's `get_memory_info()`. `None` on the CPU, whose memory the
    /// operating system manages.
    ///
    /// Another program may allocate some of the free memory before this one does.
    ///
    /// # Errors
    ///
    /// [`Error::Driver`] is a GPU that does not work.
    ///
    /// ```
    /// use gpu_runtime::prelude::*;
    ///
    /// let device = Device::best()?;
    /// if let Some(memory) = device.memory_info()? {
    ///     println!("{} of {} bytes are free on {device}", memory.free, memory.total);
    /// }
    /// # Ok::<(), gpu_runtime::Error>(())
    /// ```
    pub fn memory_info(&self) -> Result<Option<MemoryInfo>> {
        self.0.memory_info()
    }

    pub(crate) fn of_queue(queue: Queue) -> Self {
        Self(queue)
    }

    /// The memory that arrays on this device have in this process: CuPy's `pool.used_bytes()` and `pool.total_bytes()`.
    ///
    /// # Errors
    ///
    /// [`Error::Driver`] is a GPU that does not work.
    ///
    /// ```
    /// use gpu_runtime::prelude::*;
    ///
    /// let device = Device::best()?;
    /// let x = device.zeros::<f32>(1000)?;
    /// let memory = device.memory()?;
    /// assert!(memory.live >= 4000 && memory.peak >= memory.live);
    /// # Ok::<(), gpu_runtime::Error>(())
    /// ```
    pub fn memory(&self) -> Result<MemoryUsage> {
        self.0.memory_usage()
    }

    /// Limits the memory that arrays on this device have in this process: CuPy's `pool.set_limit(size)`. An array that would exceed the limit is
    /// [`Error::OutOfMemory`]. `None` removes the limit. Arrays that exist already are kept, and intermediate results of array functions count.
    ///
    /// ```
    /// use gpu_runtime::prelude::*;
    ///
    /// # if let Ok(device) = Device::gpu(0) {
    /// device.set_memory_limit(Some(1 << 30));
    /// assert!(device.zeros::<u8>(2 << 30).is_err());
    /// # device.set_memory_limit(None);
    /// # }
    /// # Ok::<(), gpu_runtime::Error>(())
    /// ```
    pub fn set_memory_limit(&self, limit: Option<usize>) {
        self.0.set_memory_limit(limit);
    }

    /// Gives memory of this GPU that the process keeps for later arrays back to the system: CuPy's `pool.free_all_blocks()`. Waits for the
    /// GPU. Nothing happens on the CPU.
    ///
    /// The memory of a dropped array is kept, because the next array then takes microseconds instead of milliseconds. If memory runs out,
    /// it is used without this call; another process can only use it after this call.
    ///
    /// # Errors
    ///
    /// [`Error::Driver`] is a GPU that does not work.
    pub fn trim_memory(&self) -> Result<()> {
        self.0.trim_memory()
    }

    /// What it does in order.
    #[inline]
    pub(crate) fn queue(&self) -> &Queue {
        &self.0
    }
}

/// Whether two handles are the same device.
impl PartialEq for Device {
    fn eq(&self, other: &Self) -> bool {
        self.0.is_on_device_of(&other.0)
    }
}

impl Eq for Device {}

/// `GPU 0 (NVIDIA H200)`, or the name of the CPU.
impl fmt::Display for Device {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl fmt::Debug for Device {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Device({self})")
    }
}
