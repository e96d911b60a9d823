//! The queue of a GPU: operations that run in order.

use std::ptr;
use std::sync::Mutex;

use super::Gpu;
use super::cooperative::GridState;
use super::driver::{check, gpu_count, read};
use super::scratch::ReductionScratch;
use super::sys;
use crate::{Error, Result};

/// A stream of one GPU, and the memory that work on it uses in turn: each use begins when the one before is done.
///
/// Launches, copies, allocations and frees are all put at its end. A GPU has one so far: see [`backend`](crate::backend).
pub(crate) struct Queue {
    gpu: &'static Gpu,
    pub(super) stream: sys::CUstream,
    pub(super) reductions: ReductionScratch,
    pub(super) grid_state: GridState,
}

// SAFETY: the driver's handle may be used from any thread once the context is current there, which every entry point sees to; it is
// never destroyed. The other fields are `Send` by themselves.
unsafe impl Send for Queue {}
// SAFETY: as above, and the driver serialises calls on one stream itself.
unsafe impl Sync for Queue {}

impl Queue {
    /// The queue of the GPU with that number, which is opened on first use.
    pub(crate) fn of_gpu(ordinal: usize) -> Result<&'static Self> {
        static OPEN: Mutex<Vec<&'static Queue>> = Mutex::new(Vec::new());

        let count = gpu_count()??;
        if ordinal >= count {
            return Err(Error::GpuOutOfRange { ordinal, count });
        }
        // Held while a context is made: whoever else wants a GPU meanwhile most likely wants this one.
        let mut open = OPEN.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        if let Some(queue) = open.iter().find(|queue| queue.gpu.ordinal() == ordinal) {
            return Ok(queue);
        }
        let queue: &'static Self = Box::leak(Box::new(Self::new(Gpu::new(ordinal)?)?));
        open.push(queue);
        Ok(queue)
    }

    /// A queue of `gpu`, whose context is current. Neither is ever dropped.
    fn new(gpu: Gpu) -> Result<Self> {
        let stream = read("cuStreamCreate", ptr::null_mut(), |stream| {
            // SAFETY: a context is current.
            unsafe { sys::cuStreamCreate(stream, sys::CUstream_flags::CU_STREAM_DEFAULT) }
        })?;
        let gpu = Box::leak(Box::new(gpu));
        Ok(Self { gpu, stream, reductions: ReductionScratch::default(), grid_state: GridState::default() })
    }

    #[inline]
    pub(crate) fn gpu(&self) -> &'static Gpu {
        self.gpu
    }

    /// Waits for everything put on the queue so far, and prints what kernels printed; fails if a kernel failed.
    pub(crate) fn synchronize(&self) -> Result<()> {
        self.wait()?;
        self.report()
    }

    /// Prints what kernels printed; fails if a kernel failed. The stream must just have been waited for, and the caller hold no
    /// lock: whoever has locked standard output may be waiting for it.
    pub(super) fn report(&self) -> Result<()> {
        if let Some(printout) = self.gpu.prints.take(self)? {
            printout.show();
        }
        self.gpu.record.take(self)
    }

    /// What `work` returns, which launches something, waits for it, and takes the report. Fails also if another host thread got a
    /// report meanwhile, which may stand for what `work` launched.
    pub(crate) fn with_failures_of_others<T>(&self, work: impl FnOnce() -> Result<T>) -> Result<T> {
        let before = self.gpu.record.count();
        let value = work()?;
        self.gpu.record.since(before)?;
        Ok(value)
    }

    /// Waits, and leaves the report of a failed kernel for a later call.
    pub(super) fn wait(&self) -> Result<()> {
        self.gpu.make_current()?;
        // SAFETY: the stream is never destroyed.
        check("cuStreamSynchronize", unsafe { sys::cuStreamSynchronize(self.stream) })
    }
}
