//! A launch that somebody waits for.

use std::fmt;
use std::pin::Pin;
use std::task::{Context, Poll};

use crate::backend::Reports;
use crate::device::Device;
use crate::finished::Finished;
use crate::stream::Stream;
use crate::{Error, Result};

/// A launch that was started and can be waited for: see [`Launch::launch_async`](super::Launch::launch_async).
///
/// It runs on a stream of its own, in order with other work that uses its arrays. So whoever waits gets the failure of this launch and of
/// no other.
///
/// If it is dropped, the launch continues. Its failure is then returned by the first call that reads an array which it has written, or
/// waits for the device.
#[must_use = "its failure is reported late if nothing waits for the launch: write `.await` or `.wait()`, or use `launch`"]
pub struct Launched(State);

enum State {
    Started {
        stream: Stream,
        reports: Reports,
        finished: Finished,
    },
    /// It was not started, or there was nothing to do.
    Ended(Option<Error>),
}

impl Launched {
    /// What `launch` starts on a new stream of `device`.
    pub(super) fn on_new_stream(device: Result<&Device>, launch: impl FnOnce(&Stream) -> Result<()>) -> Self {
        let started = device.and_then(|device| {
            let stream = device.stream()?;
            let reports = stream.queue().reports();
            launch(&stream)?;
            let finished = stream.finished()?;
            Ok(State::Started { stream, reports, finished })
        });
        Self(started.unwrap_or_else(|error| State::Ended(Some(error))))
    }

    /// Waits for the launch on this thread.
    ///
    /// # Errors
    ///
    /// As for [`launch`](super::Launch::launch), and [`Error::KernelFailed`] if a thread of this launch failed.
    pub fn wait(mut self) -> Result<()> {
        match std::mem::replace(&mut self.0, State::Ended(None)) {
            State::Started { stream, reports, .. } => stream.synchronize().and_then(|()| stream.queue().reported_since(&reports)),
            State::Ended(error) => error.map_or(Ok(()), Err),
        }
    }
}

impl Future for Launched {
    type Output = Result<()>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Result<()>> {
        match &mut self.0 {
            State::Started { stream, reports, finished } => match Pin::new(finished).poll(context) {
                Poll::Pending => Poll::Pending,
                Poll::Ready(done) => Poll::Ready(done.and_then(|()| stream.queue().reported_since(reports))),
            },
            State::Ended(error) => Poll::Ready(error.take().map_or(Ok(()), Err)),
        }
    }
}

impl fmt::Debug for Launched {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            State::Started { stream, .. } => write!(f, "Launched({stream:?})"),
            State::Ended(_) => f.write_str("Launched(ended)"),
        }
    }
}
