//! Streams of other libraries, before and after a queue.

use std::ffi::{c_uint, c_void};
use std::ptr;

use super::driver::{check, read};
use super::{Queue, Usage, sys};
use crate::{Error, Result};

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
        self.gpu().make_current()?;
        let mut capture: c_uint = 0;
        // SAFETY: the caller guarantees the stream. The status is an integer, of which a later driver may know more values.
        check("cuStreamIsCapturing", unsafe { sys::call!(cuStreamIsCapturing(stream.cast(), (&raw mut capture).cast())) })?;
        if capture != sys::CUstreamCaptureStatus::CU_STREAM_CAPTURE_STATUS_NONE as c_uint {
            // The wait would bring this queue into the graph, which could run launches again after their arrays are gone.
            return Err(Error::NotExchangeable { problem: "work on the stream is captured into a graph of another library".to_owned() });
        }
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

    /// Waits on the host until no work uses the memory.
    pub(in crate::backend) fn wait_for_users(&self, usage: &Usage) -> Result<()> {
        let mut marks = usage.marks(self).into_iter().filter(|mark| !self.is_done(*mark));
        marks.try_for_each(|mark| self.gpu().queue(mark.queue()).wait())
    }
}
