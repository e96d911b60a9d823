//! Streams of other libraries, before and after a queue.

use std::ffi::c_void;
use std::ptr;

use super::driver::{check, read};
use super::{Queue, Usage, sys};
use crate::Result;

impl Queue {
    /// The stream, whose context is current then.
    pub(in crate::backend) fn stream_for_others(&self) -> Result<*mut c_void> {
        self.gpu().make_current()?;
        Ok(self.stream.cast())
    }

    /// Lets what comes next on the queue wait for everything on `stream` so far.
    ///
    /// # Safety
    ///
    /// The stream is one of this GPU.
    pub(in crate::backend) unsafe fn wait_for_stream(&self, stream: *mut c_void) -> Result<()> {
        // SAFETY: the caller guarantees the stream.
        unsafe { self.connect(stream.cast(), self.stream) }
    }

    /// Lets what comes next on `stream` wait for everything on the queue so far.
    ///
    /// # Safety
    ///
    /// The stream is one of this GPU.
    pub(in crate::backend) unsafe fn let_stream_wait(&self, stream: *mut c_void) -> Result<()> {
        // SAFETY: the caller guarantees the stream.
        unsafe { self.connect(self.stream, stream.cast()) }
    }

    /// # Safety
    ///
    /// Both are streams of this GPU.
    unsafe fn connect(&self, earlier: sys::CUstream, later: sys::CUstream) -> Result<()> {
        self.gpu().make_current()?;
        let event = read("cuEventCreate", ptr::null_mut(), |event| {
            // SAFETY: a context is current.
            unsafe { sys::call!(cuEventCreate(event, sys::CUevent_flags::CU_EVENT_DISABLE_TIMING as u32)) }
        })?;
        // SAFETY: the event was just created, and the caller guarantees the streams. The driver frees an event once nothing waits for it.
        unsafe {
            let connected = check("cuEventRecord", sys::call!(cuEventRecord(event, earlier)))
                .and_then(|()| check("cuStreamWaitEvent", sys::call!(cuStreamWaitEvent(later, event, 0))));
            check("cuEventDestroy", sys::call!(cuEventDestroy_v2(event))).and(connected)
        }
    }

    /// Waits on the host until no work uses the memory. What fails is left to the next call.
    pub(in crate::backend) fn wait_for_users(&self, usage: &Usage) {
        for mark in usage.marks(self).into_iter().filter(|mark| !self.is_done(*mark)) {
            let _ = self.gpu().queue(mark.queue()).wait();
        }
    }
}
