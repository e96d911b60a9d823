//! Copies from the host that nobody waits for on the spot.

use super::slice::check_lengths;
use super::{DeviceArray, DeviceSliceMut};
use crate::Result;
use crate::backend::Access;
use crate::finished::Finished;
use crate::source::DeviceType;

impl<T: DeviceType> DeviceArray<T> {
    /// Overwrites its elements with those of `host`, without waiting for the device: [`copy_from_host`](Self::copy_from_host) that overlaps with
    /// kernels.
    ///
    /// The call copies `host` to page-locked memory, and the GPU copies from there, on the stream of the array or on that of
    /// `array.on_mut(&stream)`. So `host` may change as soon as the call returns, and what comes next is in order with the copy, as with any
    /// work. The future that is returned waits for the copy; if it is dropped, the copy ends by itself. On the CPU, the copy is done when the
    /// call returns.
    ///
    /// # Errors
    ///
    /// [`Error::LengthMismatch`](crate::Error::LengthMismatch) if `host` is shorter or longer, and
    /// [`Error::Driver`](crate::Error::Driver) if the system cannot page-lock as much memory.
    ///
    /// ```
    /// use gpu_runtime::prelude::*;
    ///
    /// let device = Device::best()?;
    /// let stream = device.stream()?;
    /// let mut chunk = stream.zeros::<f32>(1000)?;
    /// let mut host = vec![1.0f32; 1000];
    /// let uploaded = chunk.copy_from_host_async(&host)?; // in async code: uploaded.await?
    /// host.fill(2.0); // the next chunk, while the GPU copies
    /// drop(uploaded);
    /// assert_eq!(chunk.sum()?, 1000.0);
    /// # Ok::<(), gpu_runtime::Error>(())
    /// ```
    #[track_caller]
    pub fn copy_from_host_async(&mut self, host: &[T]) -> Result<Finished> {
        self.exclusive().copy_from_host_async(host)
    }
}

impl<T: DeviceType> DeviceSliceMut<'_, T> {
    /// Overwrites its elements with those of `host`, without waiting for the device: see [`DeviceArray::copy_from_host_async`].
    ///
    /// # Errors
    ///
    /// As listed there.
    #[track_caller]
    pub fn copy_from_host_async(&mut self, host: &[T]) -> Result<Finished> {
        check_lengths(self.len(), host.len())?;
        let target = self.memory_use(Access::Write);
        // SAFETY: both have as many elements, and the view is exclusive.
        let staging =
            unsafe { self.device().queue().start_upload(&target, host.as_ptr().cast(), self.pointer().cast(), size_of_val(host))? };
        self.device().finished_keeping(staging)
    }
}
