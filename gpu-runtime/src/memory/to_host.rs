//! Copies to the host that nobody waits for on the spot.

use std::fmt;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use super::{DeviceArray, DeviceSlice, DeviceSliceMut, reserve};
use crate::Result;
use crate::backend::cuda::Staging;
use crate::backend::{Access, Writers};
use crate::finished::Finished;
use crate::source::DeviceType;

/// The elements of an array on their way to the host: see [`DeviceArray::to_host_async`].
#[must_use = "a future does nothing unless it is awaited"]
pub struct ToHost<'a, T> {
    source: DeviceSlice<'a, T>,
    copy: Option<Started>,
}

/// A copy that was started.
struct Started {
    /// Where a GPU copies to; `None` on the CPU, whose memory the host reads.
    staging: Option<Arc<Staging>>,
    finished: Finished,
    /// Who may have written the elements.
    writers: Writers,
}

impl<'a, T: DeviceType> DeviceSlice<'a, T> {
    /// A copy of its elements to `.await`: see [`DeviceArray::to_host_async`].
    pub fn to_host_async(self) -> ToHost<'a, T> {
        ToHost { source: self, copy: None }
    }
}

impl<T: DeviceType> DeviceSliceMut<'_, T> {
    /// A copy of its elements to `.await`: see [`DeviceArray::to_host_async`].
    pub fn to_host_async(&self) -> ToHost<'_, T> {
        self.shared().to_host_async()
    }
}

impl<T: DeviceType> DeviceArray<T> {
    /// A copy of its elements to `.await`, with any executor: [`to_host`](Self::to_host) without a thread that waits. The driver wakes the task
    /// when the copy is done.
    ///
    /// The copy is put on the stream of the array when the future is first polled, or on that of `array.on(&stream)`. If the future is dropped,
    /// the copy ends by itself. Array functions do not wait until their results are copied, so this also waits for those: `x.sum_axis(0)?`
    /// of an array with one axis is an array with one element.
    ///
    /// The output is an error if the copy cannot be made, and [`Error::KernelFailed`](crate::Error::KernelFailed) as for `to_host`.
    ///
    /// ```
    /// use gpu_runtime::prelude::*;
    ///
    /// async fn norm(x: &DeviceArray<f32>) -> gpu_runtime::Result<f32> {
    ///     let sum = (x.lazy() * x.lazy()).sum_axis(0)?;
    ///     Ok(sum.to_host_async().await?[0].sqrt()) // other tasks run meanwhile
    /// }
    /// # let x = Device::cpu().to_device(&[3.0f32, 4.0])?;
    /// # let mut context = std::task::Context::from_waker(std::task::Waker::noop());
    /// # let std::task::Poll::Ready(norm) = std::pin::pin!(norm(&x)).poll(&mut context) else { panic!() };
    /// # assert_eq!(norm?, 5.0);
    /// # Ok::<(), gpu_runtime::Error>(())
    /// ```
    pub fn to_host_async(&self) -> ToHost<'_, T> {
        self.shared().to_host_async()
    }
}

impl<T: DeviceType> ToHost<'_, T> {
    fn start(&self) -> Result<Started> {
        let (device, used) = (self.source.device(), self.source.memory_use(Access::Read));
        let (queue, bytes) = (device.queue(), self.source.len() * size_of::<T>());
        let writers = queue.writers(&used);
        // SAFETY: the view is of `len` elements of the device.
        let staging = unsafe { queue.start_download(&used, self.source.pointer().cast(), bytes)? };
        let finished = device.finished_keeping(staging.clone())?;
        Ok(Started { staging, finished, writers })
    }

    fn copied(&self, copy: &Started) -> Result<Vec<T>> {
        self.source.device().queue().report_writers(&copy.writers)?;
        let len = self.source.len();
        let mut host: Vec<T> = reserve(len)?;
        let from = copy.staging.as_ref().map_or(self.source.pointer(), |staging| staging.as_ptr().cast());
        // SAFETY: the copy is done, so `from` has `len` elements; without a copy, it is the memory of the CPU, which is borrowed and which no
        // kernel writes. The vector has room for them.
        unsafe {
            from.copy_to_nonoverlapping(host.as_mut_ptr(), len);
            host.set_len(len);
        }
        Ok(host)
    }
}

impl<T: DeviceType> Future for ToHost<'_, T> {
    type Output = Result<Vec<T>>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Result<Vec<T>>> {
        let mut copy = match self.copy.take() {
            Some(copy) => copy,
            None => match self.start() {
                Ok(copy) => copy,
                Err(error) => return Poll::Ready(Err(error)),
            },
        };
        match Pin::new(&mut copy.finished).poll(context) {
            Poll::Ready(done) => Poll::Ready(done.and_then(|()| self.copied(&copy))),
            Poll::Pending => {
                self.copy = Some(copy);
                Poll::Pending
            }
        }
    }
}

impl<T: DeviceType> fmt::Debug for ToHost<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ToHost({:?})", self.source)
    }
}
