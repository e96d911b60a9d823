//! Where kernels run and arrays live.

use std::fmt;
use std::sync::Arc;

use crate::backend::{MemoryInfo, Queue, cuda};
use crate::{Error, Result};

/// A GPU, or the processor of this machine.
///
/// A device is a cheap handle to clone. Everything asked of one device happens in the order in which it was asked, from
/// whichever thread; launches on a GPU return before they are done, and calls that read results wait for them.
///
/// When a thread of a kernel fails (an index out of bounds, a panic), the launch itself still succeeds, as it may return
/// before the kernel runs. The failure comes back from the next call that waits in order to read: [`synchronize`],
/// [`DeviceArray::to_host`], [`DeviceArray::copy_to_host`]; once, and from whichever of them comes first, on whichever
/// thread. It is the first failure, and stands for everything that was launched on the device before the report: threads
/// that share a GPU and must know whose kernel failed launch and wait one at a time. Calls that both launch and wait, such as
/// `to_vec` and `sum` of array functions, never pass for good because another thread got the report of their failure: they
/// return whichever failure of the device was reported while they ran.
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
    /// The first GPU, or the CPU where there is no GPU to use.
    ///
    /// # Errors
    ///
    /// A GPU that is there but does not work is an error, not a reason to continue on the CPU.
    pub fn best() -> Result<Self> {
        match Self::gpu(0) {
            Err(Error::DriverNotFound { .. } | Error::DriverIsStub | Error::DriverTooOld { .. } | Error::NoGpu) => Ok(Self::cpu()),
            found => found,
        }
    }

    /// The GPU with that number, as CUDA counts: from 0, among those in `CUDA_VISIBLE_DEVICES`.
    ///
    /// The first call for a GPU creates its context, which takes a few tenths of a second.
    ///
    /// # Errors
    ///
    /// [`Error::DriverNotFound`], [`Error::DriverIsStub`], [`Error::DriverTooOld`], [`Error::NoGpu`] and
    /// [`Error::GpuOutOfRange`] say what is missing; [`Error::Driver`] is a GPU that does not work.
    pub fn gpu(ordinal: usize) -> Result<Self> {
        cuda::Queue::of_gpu(ordinal).map(|queue| Self(Queue::Gpu(queue)))
    }

    /// The processor of this machine.
    ///
    /// All handles to it are the same device, and their arrays can meet in one launch. A failure of a kernel is reported
    /// through the handles (and clones of them) that the launch's arrays were made with, so that independent parts of a
    /// program, each with a handle of its own, do not see each other's.
    ///
    /// Launches run on the calling thread and on rayon's global pool, and return when the kernel is done. Like any work given
    /// to rayon, they wait for a pool that is busy: do not hold a lock over a launch that the pool's tasks wait for.
    #[must_use]
    pub fn cpu() -> Self {
        Self(Queue::Cpu(Arc::default()))
    }

    /// Every GPU that works, in order, and last the CPU.
    ///
    /// [`diagnostics`](crate::diagnostics()) says why a GPU is not among them.
    #[must_use]
    pub fn all() -> Vec<Self> {
        let count = match cuda::gpu_count() {
            Ok(Ok(count)) => count,
            _ => 0,
        };
        (0..count).filter_map(|ordinal| Self::gpu(ordinal).ok()).chain([Self::cpu()]).collect()
    }

    /// What the device is called, such as `NVIDIA H200` or `CPU (x86_64, 16 threads)`.
    #[must_use]
    pub fn name(&self) -> &str {
        self.0.device_name()
    }

    /// Whether the device is a GPU.
    #[must_use]
    pub fn is_gpu(&self) -> bool {
        self.0.is_gpu()
    }

    /// Waits until everything asked of this device is done: `cuda.synchronize()`.
    ///
    /// # Errors
    ///
    /// [`Error::KernelFailed`] if a kernel failed since the last report.
    pub fn synchronize(&self) -> Result<()> {
        self.0.synchronize()
    }

    /// Gives each thread of later launches on this GPU `bytes` of stack: `cudaDeviceSetLimit(cudaLimitStackSize, bytes)`.
    ///
    /// Device functions that call themselves need it: CUDA gives a thread 1024 bytes to begin with, rounds up to a multiple of 16,
    /// and sets the memory aside for every thread that the GPU can hold at once (an H200: 270 thousand). A kernel that runs out of
    /// it ends with the driver's error `CUDA_ERROR_ILLEGAL_ADDRESS` or `CUDA_ERROR_LAUNCH_FAILED`, after which the GPU is of no more
    /// use to the process.
    ///
    /// On the CPU nothing changes: kernels run on the calling thread and on those of rayon, whose stacks (2 MiB of rayon's by
    /// default) are set where they are made, as by `rayon::ThreadPoolBuilder::stack_size`. Overflow of those ends the process.
    ///
    /// # Errors
    ///
    /// [`Error::Driver`] if the GPU has not that much memory to set aside, or no thread may have so much.
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

    /// How much memory this GPU has, and how much of it nobody has taken: `cudaMemGetInfo`, Numba's `get_memory_info()`. `None` on the CPU,
    /// whose memory the operating system hands out.
    ///
    /// Another program may take some of it before this one does.
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
