//! The operations that an array and an exclusive slice have in common.

/// The methods of a type that has a `len`, a [`DeviceSlice`](super::DeviceSlice) of all its elements as `shared` and a
/// [`DeviceSliceMut`](super::DeviceSliceMut) as `exclusive`.
macro_rules! slice_operations {
    () => {
        /// How many elements it has.
        #[inline]
        #[must_use]
        pub fn len(&self) -> usize {
            self.len
        }

        /// Whether it has no elements.
        #[inline]
        #[must_use]
        pub fn is_empty(&self) -> bool {
            self.len == 0
        }

        /// A copy of its elements: `array.copy_to_host()`. Waits for all earlier operations on the device.
        ///
        /// # Errors
        ///
        /// [`Error::KernelFailed`](crate::Error::KernelFailed) if a kernel failed since the last report.
        pub fn to_host(&self) -> Result<Vec<T>> {
            self.shared().to_host()
        }

        /// Copies its elements into `host`: `array.copy_to_host(host)`. Waits for all earlier operations on the device.
        ///
        /// # Errors
        ///
        /// [`Error::LengthMismatch`](crate::Error::LengthMismatch) if `host` is shorter or longer, and
        /// [`Error::KernelFailed`](crate::Error::KernelFailed) if a kernel failed since the last report.
        ///
        /// ```
        /// use gpu_runtime::prelude::*;
        ///
        /// let array = Device::cpu().to_device(&[1, 2, 3])?;
        /// let mut host = [0; 3];
        /// array.copy_to_host(&mut host)?;
        /// assert_eq!(host, [1, 2, 3]);
        /// # Ok::<(), gpu_runtime::Error>(())
        /// ```
        #[track_caller]
        pub fn copy_to_host(&self, host: &mut [T]) -> Result<()> {
            self.shared().copy_to_host(host)
        }

        /// Overwrites its elements with those of `host`, after the kernels that were launched before.
        ///
        /// # Errors
        ///
        /// [`Error::LengthMismatch`](crate::Error::LengthMismatch) if `host` is shorter or longer.
        #[track_caller]
        pub fn copy_from_host(&mut self, host: &[T]) -> Result<()> {
            self.exclusive().overwrite(host)
        }

        /// A view of a part, like `&array[range]`: `array[start:stop]`. Elements are counted in C order, whatever the shape.
        ///
        /// # Panics
        ///
        /// If the range is out of bounds, as slicing does.
        ///
        /// ```
        /// use gpu_runtime::prelude::*;
        ///
        /// let array = Device::cpu().to_device(&[1, 2, 3, 4])?;
        /// assert_eq!(array.slice(1..3).to_host()?, [2, 3]);
        /// # Ok::<(), gpu_runtime::Error>(())
        /// ```
        #[track_caller]
        #[must_use]
        pub fn slice(&self, range: impl RangeBounds<usize>) -> DeviceSlice<'_, T> {
            self.shared().slice(range)
        }

        /// An exclusive view of a part, like `&mut array[range]`.
        ///
        /// # Panics
        ///
        /// If the range is out of bounds, as slicing does.
        #[track_caller]
        #[must_use]
        pub fn slice_mut(&mut self, range: impl RangeBounds<usize>) -> DeviceSliceMut<'_, T> {
            self.exclusive().into_slice_mut(range)
        }

        /// Exclusive views of the first `mid` elements and of the rest, for two arguments of one launch.
        ///
        /// # Panics
        ///
        /// If `mid` is past the end.
        ///
        /// ```
        /// use gpu_runtime::prelude::*;
        ///
        /// let mut array = Device::cpu().to_device(&[1, 2, 3])?;
        /// let (mut left, right) = array.split_at_mut(1);
        /// left.copy_from_host(&[9])?;
        /// assert_eq!(right.to_host()?, [2, 3]);
        /// assert_eq!(array.to_host()?, [9, 2, 3]);
        /// # Ok::<(), gpu_runtime::Error>(())
        /// ```
        #[track_caller]
        #[must_use]
        pub fn split_at_mut(&mut self, mid: usize) -> (DeviceSliceMut<'_, T>, DeviceSliceMut<'_, T>) {
            self.exclusive().into_split_at_mut(mid)
        }
    };
}

pub(super) use slice_operations;
