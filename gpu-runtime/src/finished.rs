//! Waiting for a stream without blocking a thread.

use std::fmt;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll, Waker};

use crate::Result;
use crate::device::Device;

/// A future that is ready when everything is done that was asked of a stream before it was created: see [`Device::finished`].
#[must_use = "a future does nothing unless it is awaited"]
pub struct Finished {
    device: Device,
    state: Option<Arc<Mutex<State>>>,
}

#[derive(Default)]
struct State {
    is_done: bool,
    waker: Option<Waker>,
}

impl Device {
    /// A future that waits for all operations so far on this stream, or on the stream of this device, for use in `async` code with any
    /// executor: Numba's `await stream.async_done()`. No thread is blocked, and none is created: the driver wakes the task.
    ///
    /// Its output is that of [`synchronize`](Self::synchronize) through a [`Stream`](crate::Stream): an error if a kernel on the stream failed
    /// since the last report. If the future is dropped, the operations continue, and the next call that waits reports the failure.
    ///
    /// ```
    /// use gpu_runtime::prelude::*;
    ///
    /// async fn norm(device: &Device, x: &[f32]) -> gpu_runtime::Result<f32> {
    ///     let stream = device.stream()?;
    ///     let x = stream.to_device(x)?;
    ///     let squares = (x.lazy() * x.lazy()).collect()?;
    ///     stream.finished()?.await?; // other tasks run meanwhile
    ///     Ok(squares.to_host()?.iter().sum::<f32>().sqrt())
    /// }
    /// # let mut context = std::task::Context::from_waker(std::task::Waker::noop());
    /// # let device = Device::cpu();
    /// # let mut norm = std::pin::pin!(norm(&device, &[3.0, 4.0]));
    /// # let std::task::Poll::Ready(norm) = std::future::Future::poll(norm.as_mut(), &mut context) else { panic!() };
    /// # assert_eq!(norm?, 5.0);
    /// # Ok::<(), gpu_runtime::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::Driver`](crate::Error::Driver) is a GPU that does not work.
    pub fn finished(&self) -> Result<Finished> {
        self.finished_keeping(())
    }

    /// The same. `kept` is not dropped before all operations so far are done.
    pub(crate) fn finished_keeping(&self, kept: impl Send + 'static) -> Result<Finished> {
        let state = Arc::new(Mutex::new(State::default()));
        let of_callback = Arc::clone(&state);
        let when_done = move || {
            drop(kept);
            let waker = {
                let mut state = lock(&of_callback);
                state.is_done = true;
                state.waker.take()
            };
            waker.into_iter().for_each(Waker::wake);
        };
        let is_done = self.queue().when_done(Box::new(when_done))?.is_some();
        Ok(Finished { device: self.clone(), state: (!is_done).then_some(state) })
    }
}

impl Future for Finished {
    type Output = Result<()>;

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Result<()>> {
        if let Some(state) = &self.state {
            let mut state = lock(state);
            if !state.is_done {
                state.waker = Some(context.waker().clone());
                return Poll::Pending;
            }
        }
        Poll::Ready(self.device.queue().report())
    }
}

fn lock(state: &Mutex<State>) -> std::sync::MutexGuard<'_, State> {
    state.lock().unwrap_or_else(PoisonError::into_inner)
}

impl fmt::Debug for Finished {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Finished({})", self.device)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::task::Wake;

    use super::*;
    use crate::backend::cuda::fake::{Call, set_busy};
    use crate::backend::{Queue, cuda};

    #[derive(Default)]
    struct Count(AtomicUsize);

    impl Wake for Count {
        fn wake(self: Arc<Self>) {
            self.0.fetch_add(1, Ordering::Relaxed);
        }
    }

    fn poll(future: &mut Finished, wakes: &Arc<Count>) -> bool {
        let waker = Waker::from(Arc::clone(wakes));
        match Pin::new(future).poll(&mut Context::from_waker(&waker)) {
            Poll::Ready(outcome) => outcome.map(|()| true).unwrap(),
            Poll::Pending => false,
        }
    }

    #[test]
    fn the_future_of_an_idle_stream_is_ready() {
        for device in [Device::cpu(), Device::of_queue(Queue::of_fake_gpu())] {
            assert!(poll(&mut device.finished().unwrap(), &Arc::default()), "{device}");
        }
    }

    #[test]
    fn the_driver_wakes_the_task_once() {
        let device = Device::of_queue(Queue::of_fake_gpu());
        set_busy(true);
        cuda::fake::hold_callbacks(true);
        let (mut future, dropped) = (device.finished().unwrap(), device.finished().unwrap());
        let wakes = Arc::default();
        assert!(!poll(&mut future, &wakes) && !poll(&mut future, &wakes));
        drop(dropped);
        cuda::fake::hold_callbacks(false);
        assert_eq!(wakes.0.load(Ordering::Relaxed), 1);
        assert!(poll(&mut future, &wakes));
        set_busy(false);
    }

    /// Notes when it is dropped.
    struct Noted;

    impl Drop for Noted {
        fn drop(&mut self) {
            cuda::fake::note(Call::Work { stream: 1 });
        }
    }

    #[test]
    fn what_a_copy_uses_is_kept_until_it_is_done_also_if_the_driver_does_not_take_the_callback() {
        let device = Device::of_queue(Queue::of_fake_gpu());
        set_busy(true);
        cuda::fake::set_failing(&["cuStreamAddCallback"]);
        cuda::fake::take_calls();
        let finished = device.finished_keeping(Noted).map(|mut finished| poll(&mut finished, &Arc::default()));
        assert_eq!(cuda::fake::take_calls(), [Call::Synchronize { stream: 1 }, Call::Work { stream: 1 }]);
        assert!(matches!(finished, Ok(true)), "{finished:?}");

        // Whether the copy is done is not known: it is never freed.
        cuda::fake::set_failing(&["cuStreamAddCallback", "cuStreamSynchronize"]);
        assert!(device.finished_keeping(Noted).is_err());
        assert_eq!(cuda::fake::take_calls(), []);
        cuda::fake::set_failing(&[]);
        set_busy(false);
    }
}
