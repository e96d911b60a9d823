//! Events of the user: points of a queue that other queues and the host can wait for, with the time when they were reached.

use std::ptr;
use std::time::Duration;

use super::driver::{check, read};
use super::order::Point;
use super::{Gpu, Queue, sys};
use crate::Result;
use crate::observe::{self, Activity};

/// A recorded event. It is never recorded again.
pub(crate) struct Event {
    gpu: &'static Gpu,
    event: sys::CUevent,
    point: Option<Point>,
}

// SAFETY: the driver's handle may be used from any thread once the context is current there, which every entry point sees to.
unsafe impl Send for Event {}
// SAFETY: as above, and no call changes the event.
unsafe impl Sync for Event {}

impl Queue {
    /// Records an event after everything on the queue so far.
    pub(crate) fn record_event(&self) -> Result<Event> {
        self.gpu().make_current()?;
        let event = read("cuEventCreate", ptr::null_mut(), |event| {
            // SAFETY: a context is current.
            unsafe { sys::call!(cuEventCreate(event, sys::CUevent_flags::CU_EVENT_DEFAULT as u32)) }
        })?;
        // Dropped, and so destroyed, if recording fails.
        let mut event = Event { gpu: self.gpu(), event, point: None };
        // SAFETY: the event was just created, and the stream is never destroyed.
        let ((), point) = self.recorded(|| check("cuEventRecord", unsafe { sys::call!(cuEventRecord(event.event, self.stream)) }))?;
        event.point = Some(point);
        Ok(event)
    }

    /// Lets what comes next on the queue wait for the event, which may be one of another GPU.
    pub(crate) fn wait_for_event(&self, event: &Event) -> Result<()> {
        self.gpu().make_current()?;
        // SAFETY: the event lives during the call, which notes what it stands for; the stream is never destroyed.
        check("cuStreamWaitEvent", unsafe { sys::call!(cuStreamWaitEvent(self.stream, event.event, 0)) })?;
        if let (true, Some(point)) = (ptr::eq(self.gpu(), event.gpu), &event.point) {
            self.passed(point);
        }
        Ok(())
    }
}

impl Event {
    /// Waits on the host until the point is reached.
    pub(crate) fn synchronize(&self) -> Result<()> {
        self.gpu.make_current()?;
        let _observed = observe::begin(Activity::Wait, "event", 0);
        // SAFETY: the event is not destroyed yet.
        check("cuEventSynchronize", unsafe { sys::call!(cuEventSynchronize(self.event)) })
    }

    /// Whether the point is reached.
    pub(crate) fn is_done(&self) -> Result<bool> {
        self.gpu.make_current()?;
        // SAFETY: the event is not destroyed yet.
        match unsafe { sys::call!(cuEventQuery(self.event)) } {
            status if status == sys::CUresult::CUDA_ERROR_NOT_READY => Ok(false),
            status => check("cuEventQuery", status).map(|()| true),
        }
    }

    /// The time from `earlier`, an event of the same GPU, to this one; zero if it is the later one. Waits for both.
    pub(crate) fn elapsed(&self, earlier: &Self) -> Result<Duration> {
        earlier.synchronize()?;
        self.synchronize()?;
        let milliseconds = read("cuEventElapsedTime", 0f32, |milliseconds| {
            // SAFETY: both are recorded with times, and reached.
            unsafe { sys::call!((cuEventElapsedTime: sys::ElapsedTime)(milliseconds, earlier.event, self.event)) }
        })?;
        Ok(Duration::from_secs_f64(f64::from(milliseconds.max(0.0)) / 1000.0))
    }

    /// Whether both are events of the same GPU.
    pub(crate) fn is_on_gpu_of(&self, other: &Self) -> bool {
        ptr::eq(self.gpu, other.gpu)
    }
}

impl Drop for Event {
    fn drop(&mut self) {
        if self.gpu.make_current().is_ok() {
            // SAFETY: nobody uses the handle any more. The driver keeps what waits for it.
            let _ = unsafe { sys::call!(cuEventDestroy_v2(self.event)) };
        }
    }
}
