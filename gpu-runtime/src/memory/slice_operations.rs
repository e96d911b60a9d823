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
        pub fn slice(&self, range: impl IndexRange) -> DeviceSlice<'_, T> {
            self.shared().slice(range)
        }

        /// An exclusive view of a part, like `&mut array[range]`.
        ///
        /// # Panics
        ///
        /// If the range is out of bounds, as slicing does.
        #[track_caller]
        #[must_use]
        pub fn slice_mut(&mut self, range: impl IndexRange) -> DeviceSliceMut<'_, T> {
            self.exclusive().into_slice_mut(range)
        }

        /// The element at an index of each axis, as a copy on the host: `array[i, j]`. Waits for all earlier operations on the device.
        ///
        /// To read many elements, copy them at once with [`to_host`](Self::to_host).
        ///
        /// # Errors
        ///
        /// [`Error::KernelFailed`](crate::Error::KernelFailed) if a kernel failed since the last report.
        ///
        /// # Panics
        ///
        /// If there are more or fewer axes, or an index is out of bounds.
        ///
        /// ```
        /// use gpu_runtime::prelude::*;
        ///
        /// let mut x = Device::cpu().zeros::<f32>([2, 3])?;
        /// x.set([1, 2], 7.0)?;
        /// assert_eq!(x.get([1, 2])?, 7.0);
        /// assert_eq!(x.slice(3..).get(2)?, 7.0);
        /// # Ok::<(), gpu_runtime::Error>(())
        /// ```
        #[track_caller]
        pub fn get(&self, index: impl Into<Shape>) -> Result<T> {
            self.view().get(index)
        }

        /// Overwrites the element at an index of each axis: `array[i, j] = value`.
        ///
        /// # Errors
        ///
        /// As for [`copy_from_host`](Self::copy_from_host).
        ///
        /// # Panics
        ///
        /// If there are more or fewer axes, or an index is out of bounds.
        #[track_caller]
        pub fn set(&mut self, index: impl Into<Shape>, value: T) -> Result<()> {
            self.exclusive_view().set(index, value)
        }

        /// The part with these indices of several axes: `array[1:9, :-1]` is `array.part((1..9, ..-1))`.
        ///
        /// It takes an index, a range, or a [`stepped`](crate::stepped) range for the first axis, or a tuple of them for the first axes. Negative numbers
        /// count from the end.
        ///
        /// # Panics
        ///
        /// If there are fewer axes, or an index or range is out of bounds, as indexing and slicing do.
        ///
        /// ```
        /// use gpu_runtime::prelude::*;
        ///
        /// let mut x = Device::cpu().arange(0, 12, 1)?.reshape([3, 4])?;
        /// assert_eq!(x.part((1.., ..-2)).to_host()?, [4, 5, 8, 9]);
        /// assert_eq!(x.part((-1, stepped(.., 2))).to_host()?, [8, 10]);
        /// x.part_mut((.., 1..3)).fill(0)?;
        /// assert_eq!(x.part(-1).to_host()?, [8, 0, 0, 11]);
        /// # Ok::<(), gpu_runtime::Error>(())
        /// ```
        #[track_caller]
        #[must_use]
        pub fn part(&self, parts: impl ArrayPart) -> DeviceView<'_, T> {
            self.view().part(parts)
        }

        /// An exclusive view of the part with these indices of several axes: see [`part`](Self::part).
        ///
        /// # Panics
        ///
        /// As for [`part`](Self::part).
        #[track_caller]
        #[must_use]
        pub fn part_mut(&mut self, parts: impl ArrayPart) -> DeviceViewMut<'_, T> {
            self.exclusive_view().part(parts)
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
