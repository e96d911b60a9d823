//! Points of queues.

use std::time::Instant;

use super::recording::{self, Unrecordable};
use super::{Kind, Queue, cuda};
use crate::Result;

/// A point of a queue.
pub(crate) enum Event {
    /// When it was reached.
    Cpu(Instant),
    Gpu(cuda::Event),
}

impl Event {
    /// Waits on the host until the point is reached.
    pub(crate) fn synchronize(&self) -> Result<()> {
        match self {
            Self::Cpu(_) => Ok(()),
            Self::Gpu(event) => event.synchronize(),
        }
    }

    /// Whether the point is reached.
    pub(crate) fn is_done(&self) -> Result<bool> {
        match self {
            Self::Cpu(_) => Ok(true),
            Self::Gpu(event) => event.is_done(),
        }
    }
}

impl Queue {
    /// The point after everything on the queue so far.
    pub(crate) fn record(&self) -> Result<Event> {
        recording::refuse(Unrecordable::Event)?;
        match &self.0 {
            Kind::Cpu(_) => Ok(Event::Cpu(Instant::now())),
            Kind::Gpu(queue, _) => queue.record_event().map(Event::Gpu),
        }
    }

    /// Calls `wake` when everything on the queue so far is done, on a thread that must not be made to wait; or returns it if that is the case
    /// already.
    pub(crate) fn when_done(&self, wake: Box<dyn FnOnce() + Send>) -> Result<Option<Box<dyn FnOnce() + Send>>> {
        recording::refuse(Unrecordable::Wait)?;
        match &self.0 {
            Kind::Cpu(_) => Ok(Some(wake)),
            Kind::Gpu(queue, _) => queue.when_done(wake),
        }
    }

    /// The failure of a kernel, after everything on the queue was waited for.
    pub(crate) fn report(&self) -> Result<()> {
        match &self.0 {
            Kind::Cpu(queue) => queue.report_failure(),
            Kind::Gpu(queue, _) => queue.report(),
        }
    }

    /// Lets what comes next on the queue wait for the point. On the CPU, and for points of the CPU, there is nothing to wait for.
    pub(crate) fn wait_for(&self, event: &Event) -> Result<()> {
        recording::refuse(Unrecordable::Event)?;
        match (&self.0, event) {
            (Kind::Gpu(queue, _), Event::Gpu(event)) => queue.wait_for_event(event),
            // What the CPU does next begins at once.
            (Kind::Cpu(_), Event::Gpu(event)) => event.synchronize(),
            (_, Event::Cpu(_)) => Ok(()),
        }
    }
}
