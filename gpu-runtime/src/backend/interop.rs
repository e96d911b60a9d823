//! Queues and memory that other libraries share with this crate.

use std::ffi::c_void;
use std::ptr;

use super::recording::{self, Unrecordable};
use super::{Kind, MemoryUse, Queue, Usage};
use crate::Result;

impl Queue {
    /// Calls `work` with the stream of this queue, null on the CPU. What it puts there uses memory in these ways.
    pub(crate) fn lend<R>(&self, uses: &[MemoryUse<'_>], work: impl FnOnce(*mut c_void) -> R) -> Result<R> {
        recording::refuse(Unrecordable::OtherLibrary)?;
        let mut result = None;
        self.ordered(uses, || {
            result = Some(work(self.stream_for_others()?));
            Ok(())
        })?;
        Ok(result.expect("the work was done"))
    }

    /// The stream, whose context is current then; null on the CPU.
    fn stream_for_others(&self) -> Result<*mut c_void> {
        match &self.0 {
            Kind::Cpu(_) => Ok(ptr::null_mut()),
            Kind::Gpu(queue, _) => queue.stream_for_others(),
        }
    }

    /// Lets what comes next on the queue wait for everything on a stream of another library so far.
    ///
    /// # Safety
    ///
    /// The stream is one of the same device. On the CPU it is not used.
    pub(crate) unsafe fn wait_for_stream(&self, stream: *mut c_void) -> Result<()> {
        recording::refuse(Unrecordable::OtherLibrary)?;
        match &self.0 {
            Kind::Cpu(_) => Ok(()),
            // SAFETY: the caller guarantees the stream.
            Kind::Gpu(queue, _) => unsafe { queue.wait_for_stream(stream) },
        }
    }

    /// Lets what comes next on a stream of another library wait for everything on the queue so far.
    ///
    /// # Safety
    ///
    /// The stream is one of the same device. On the CPU it is not used.
    pub(crate) unsafe fn let_stream_wait(&self, stream: *mut c_void) -> Result<()> {
        recording::refuse(Unrecordable::OtherLibrary)?;
        match &self.0 {
            Kind::Cpu(_) => Ok(()),
            // SAFETY: the caller guarantees the stream.
            Kind::Gpu(queue, _) => unsafe { queue.let_stream_wait(stream) },
        }
    }

    /// Waits on the host until no work uses the memory.
    pub(crate) fn wait_for_users(&self, usage: &Usage) -> Result<()> {
        match &self.0 {
            Kind::Cpu(_) => Ok(()),
            Kind::Gpu(queue, _) => queue.wait_for_users(usage),
        }
    }

    /// The number of the GPU, as CUDA counts. `None` on the CPU.
    pub(crate) fn ordinal(&self) -> Option<usize> {
        match &self.0 {
            Kind::Cpu(_) => None,
            Kind::Gpu(queue, _) => Some(queue.gpu().ordinal()),
        }
    }
}
