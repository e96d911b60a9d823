//! Copies to the host that nobody waits for on the spot.

use std::fmt;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use super::slice::check_lengths;
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
    copy: Option<(Started, Finished)>,
}

/// The element of an array on its way to the host: see [`DeviceArray::item_async`].
#[must_use = "a future does nothing unless it is awaited"]
pub struct ToItem<'a, T>(ToHost<'a, T>);

/// A copy that was started.
struct Started {
    /// Where a GPU copies to; `None` on the CPU, whose memory the host reads.
    staging: Option<Arc<Staging>>,
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

    /// Its only element to `.await`, as [`to_host_async`](Self::to_host_async) has the elements of any array: NumPy's `x.item()`. So each reduction
    /// has a form that no thread waits for: `x.sum_axis(..)?` instead of `x.sum()?`, which leaves the sum on the device.
    ///
    /// The output is [`Error::LengthMismatch`](crate::Error::LengthMismatch) if the array has more or fewer elements, and the errors of
    /// `to_host_async`.
    ///
    /// ```
    /// use gpu_runtime::prelude::*;
    ///
    /// async fn norm(x: &DeviceArray<f32>) -> gpu_runtime::Result<f32> {
    ///     Ok((x.lazy() * x.lazy()).sum_axis(..)?.item_async().await?.sqrt()) // other tasks run meanwhile
    /// }
    /// # let x = Device::cpu().to_device(&[3.0f32, 4.0])?;
    /// # let mut context = std::task::Context::from_waker(std::task::Waker::noop());
    /// # let std::task::Poll::Ready(norm) = std::pin::pin!(norm(&x)).poll(&mut context) else { panic!() };
    /// # assert_eq!(norm?, 5.0);
    /// # Ok::<(), gpu_runtime::Error>(())
    /// ```
    pub fn item_async(&self) -> ToItem<'_, T> {
        ToItem(self.to_host_async())
    }
}

impl<T: DeviceType> DeviceSlice<'_, T> {
    fn start_copy(&self) -> Result<Started> {
        let used = self.memory_use(Access::Read);
        let (queue, bytes) = (self.device().queue(), self.len() * size_of::<T>());
        let writers = queue.writers(&used);
        // SAFETY: the view is of `len` elements of the device.
        let staging = unsafe { queue.start_download(&used, self.pointer().cast(), bytes)? };
        Ok(Started { staging, writers })
    }

    /// The elements, when the copy is done.
    fn copied(&self, copy: &Started) -> Result<Vec<T>> {
        self.device().queue().report_writers(&copy.writers)?;
        let len = self.len();
        let mut host: Vec<T> = reserve(len)?;
        let from = copy.staging.as_ref().map_or(self.pointer(), |staging| staging.as_ptr().cast());
        // SAFETY: the copy is done, so `from` has `len` elements; without a copy, it is the memory of the CPU, which is borrowed and which no
        // kernel writes. The vector has room for them.
        unsafe {
            from.copy_to_nonoverlapping(host.as_mut_ptr(), len);
            host.set_len(len);
        }
        Ok(host)
    }
}

impl<T: DeviceType> ToHost<'_, T> {
    fn start(&self) -> Result<(Started, Finished)> {
        let copy = self.source.start_copy()?;
        let finished = self.source.device().finished_keeping(copy.staging.clone())?;
        Ok((copy, finished))
    }
}

impl<T: DeviceType> Future for ToHost<'_, T> {
    type Output = Result<Vec<T>>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Result<Vec<T>>> {
        let (copy, mut finished) = match self.copy.take() {
            Some(copy) => copy,
            None => match self.start() {
                Ok(copy) => copy,
                Err(error) => return Poll::Ready(Err(error)),
            },
        };
        match Pin::new(&mut finished).poll(context) {
            Poll::Ready(done) => Poll::Ready(done.and_then(|()| self.source.copied(&copy))),
            Poll::Pending => {
                self.copy = Some((copy, finished));
                Poll::Pending
            }
        }
    }
}

impl<T: DeviceType> Future for ToItem<'_, T> {
    type Output = Result<T>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Result<T>> {
        if let Err(error) = check_lengths(self.0.source.len(), 1) {
            return Poll::Ready(Err(error));
        }
        Pin::new(&mut self.0).poll(context).map_ok(|elements| elements[0])
    }
}

impl<T: DeviceType> fmt::Debug for ToItem<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ToItem({:?})", self.0.source)
    }
}

impl<T: DeviceType> fmt::Debug for ToHost<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ToHost({:?})", self.source)
    }
}
