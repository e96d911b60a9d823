//! The operations of both kinds of views: their shape, and views of a part of them or with other axes.

/// The methods of a view `Self { device, pointer, layout, .. }`.
///
/// The methods that return another view take `self`: a [`DeviceView`](super::DeviceView) is `Copy`, and a
/// [`DeviceViewMut`](super::DeviceViewMut) moves its elements to the new view.
macro_rules! view_operations {
    () => {
        /// How many elements it has along each axis: `view.shape`.
        #[inline]
        #[must_use]
        pub fn shape(&self) -> Shape {
            self.layout.shape
        }

        /// The distance between neighbours along each axis, in elements (NumPy counts bytes): `view.strides`.
        ///
        /// The stride of an axis with a single element, or of a view without elements, has no meaning.
        #[inline]
        #[must_use]
        pub fn strides(&self) -> &[isize] {
            self.layout.strides()
        }

        /// How many axes it has, 0 to [`MAX_RANK`](crate::MAX_RANK): `view.ndim`.
        #[inline]
        #[must_use]
        pub fn rank(&self) -> usize {
            self.layout.shape.rank()
        }

        /// How many elements it has: `view.size`.
        #[inline]
        #[must_use]
        pub fn len(&self) -> usize {
            self.layout.len()
        }

        /// Whether it has no elements.
        #[inline]
        #[must_use]
        pub fn is_empty(&self) -> bool {
            self.len() == 0
        }

        /// The device of the view.
        #[inline]
        #[must_use]
        pub fn device(&self) -> &'a Device {
            self.owner.device
        }

        /// Whether its elements are contiguous in C order: `view.flags.c_contiguous`.
        #[must_use]
        pub fn is_contiguous(&self) -> bool {
            self.layout.is_c_order()
        }

        /// The transposed view, with its axes in the opposite order: `view.T`.
        ///
        /// ```
        /// use gpu_runtime::prelude::*;
        ///
        /// let matrix = Device::cpu().to_device(&[1, 2, 3, 4, 5, 6])?.reshape([2, 3])?;
        /// assert_eq!(matrix.view().t().shape(), [3, 2]);
        /// assert_eq!(matrix.view().t().to_host()?, [1, 4, 2, 5, 3, 6]);
        /// # Ok::<(), gpu_runtime::Error>(())
        /// ```
        #[must_use]
        pub fn t(self) -> Self {
            Self { layout: self.layout.transpose(), ..self }
        }

        /// The view with its axes in another order: the old axis `axes[i]` is the new axis `i`: `view.transpose(axes)`.
        ///
        /// # Panics
        ///
        /// If `axes` does not contain each axis once.
        ///
        /// ```
        /// use gpu_runtime::prelude::*;
        ///
        /// let array = Device::cpu().zeros::<f32>([2, 3, 4])?;
        /// assert_eq!(array.view().permute([2, 0, 1]).shape(), [4, 2, 3]);
        /// # Ok::<(), gpu_runtime::Error>(())
        /// ```
        #[track_caller]
        #[must_use]
        pub fn permute(self, axes: impl AsRef<[usize]>) -> Self {
            Self { layout: self.layout.permute(axes.as_ref()), ..self }
        }

        /// The view with two axes swapped: `view.swapaxes(a, b)`.
        ///
        /// # Panics
        ///
        /// If an axis does not exist.
        #[track_caller]
        #[must_use]
        pub fn swap_axes(self, a: impl Axis, b: impl Axis) -> Self {
            let rank = self.layout.shape.rank();
            Self { layout: self.layout.swap_axes(a.of(rank), b.of(rank)), ..self }
        }

        /// The indices of `range` along `axis`: `view[:, start:stop]` for axis 1.
        ///
        /// # Panics
        ///
        /// If there is no such axis, or the range is out of bounds, as slicing does.
        ///
        /// ```
        /// use gpu_runtime::prelude::*;
        ///
        /// let matrix = Device::cpu().to_device(&[1, 2, 3, 4, 5, 6])?.reshape([2, 3])?;
        /// assert_eq!(matrix.view().slice_axis(1, ..2).to_host()?, [1, 2, 4, 5]);
        /// # Ok::<(), gpu_runtime::Error>(())
        /// ```
        #[track_caller]
        #[must_use]
        pub fn slice_axis(self, axis: impl Axis, range: impl IndexRange) -> Self {
            self.slice_axis_step(axis, range, 1)
        }

        /// Every `step`-th index of `range` along `axis`. A negative step starts from the last one and goes backwards.
        ///
        /// `slice_axis_step(0, a..b, 2)` is `view[a:b:2]`, and `slice_axis_step(0, .., -2)` is `view[::-2]`.
        ///
        /// # Panics
        ///
        /// If there is no such axis, the range is out of bounds, as slicing does, or `step` is 0.
        ///
        /// ```
        /// use gpu_runtime::prelude::*;
        ///
        /// let array = Device::cpu().to_device(&[0, 1, 2, 3, 4, 5])?;
        /// assert_eq!(array.view().slice_axis_step(0, 1.., 2).to_host()?, [1, 3, 5]);
        /// assert_eq!(array.view().slice_axis_step(0, 1..5, -2).to_host()?, [4, 2]);
        /// # Ok::<(), gpu_runtime::Error>(())
        /// ```
        #[track_caller]
        #[must_use]
        pub fn slice_axis_step(self, axis: impl Axis, range: impl IndexRange, step: isize) -> Self {
            let part = self.layout.slice_axis(axis.of(self.layout.shape.rank()), range, step);
            self.with_part(part)
        }

        /// The view with the indices of `axis` in the opposite order: `np.flip(view, axis)`.
        ///
        /// # Panics
        ///
        /// If there is no such axis.
        #[track_caller]
        #[must_use]
        pub fn reverse_axis(self, axis: impl Axis) -> Self {
            self.slice_axis_step(axis, .., -1)
        }

        /// The part at one index of `axis`, without that axis: `view[index]` for axis 0.
        ///
        /// # Panics
        ///
        /// If there is no such axis or index.
        ///
        /// ```
        /// use gpu_runtime::prelude::*;
        ///
        /// let matrix = Device::cpu().to_device(&[1, 2, 3, 4, 5, 6])?.reshape([2, 3])?;
        /// assert_eq!(matrix.view().index_axis(0, 1).to_host()?, [4, 5, 6]);
        /// assert_eq!(matrix.view().index_axis(1, 0).to_host()?, [1, 4]);
        /// # Ok::<(), gpu_runtime::Error>(())
        /// ```
        #[track_caller]
        #[must_use]
        pub fn index_axis(self, axis: impl Axis, index: usize) -> Self {
            let part = self.layout.index_axis(axis.of(self.layout.shape.rank()), index);
            self.with_part(part)
        }

        /// The part at one index of the first axis: `view[index]`, a row of a matrix.
        ///
        /// # Panics
        ///
        /// If there is no axis, or no such index.
        #[track_caller]
        #[must_use]
        pub fn row(self, index: usize) -> Self {
            self.index_axis(0, index)
        }

        /// The indices of `range` along the first axis: `view[start:stop]`, rows of a matrix.
        ///
        /// # Panics
        ///
        /// If there is no axis, or the range is out of bounds, as slicing does.
        ///
        /// ```
        /// use gpu_runtime::prelude::*;
        ///
        /// let mut x = Device::cpu().to_device(&[1, 2, 3, 4, 5, 6])?.reshape([3, 2])?;
        /// assert_eq!(x.rows(1..).to_host()?, [3, 4, 5, 6]); // NumPy: x[1:]
        /// x.rows_mut(..2).fill(0)?; // NumPy: x[:2] = 0
        /// assert_eq!(x.view().t().row(1).to_host()?, [0, 0, 6]);
        /// # Ok::<(), gpu_runtime::Error>(())
        /// ```
        #[track_caller]
        #[must_use]
        pub fn rows(self, range: impl IndexRange) -> Self {
            self.slice_axis(0, range)
        }

        /// The diagonal of a matrix: `np.diagonal(view)`. With more axes, it takes the place of the first two.
        ///
        /// # Panics
        ///
        /// If there are fewer than two axes.
        ///
        /// ```
        /// use gpu_runtime::prelude::*;
        ///
        /// let mut x = Device::cpu().arange(0, 6, 1)?.reshape([2, 3])?;
        /// assert_eq!(x.view().diagonal().to_host()?, [0, 4]);
        /// assert_eq!(x.part((.., 1..)).diagonal().sum()?, 1 + 5); // NumPy: np.trace(x, 1)
        /// x.view_mut().diagonal().fill(9)?; // NumPy: np.fill_diagonal(x, 9)
        /// assert_eq!(x.to_host()?, [9, 1, 2, 3, 9, 5]);
        /// # Ok::<(), gpu_runtime::Error>(())
        /// ```
        #[track_caller]
        #[must_use]
        pub fn diagonal(self) -> Self {
            Self { layout: self.layout.diagonal(), ..self }
        }

        /// The part with these indices of several axes: `view[1:9, :-1]` is `view.part((1..9, ..-1))`.
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
        /// assert_eq!(x.part((1.., ..-2)).to_host()?, [4, 5, 8, 9]); // NumPy: x[1:, :-2]
        /// assert_eq!(x.part((-1, stepped(.., 2))).to_host()?, [8, 10]); // NumPy: x[-1, ::2]
        /// x.part_mut((.., -1)).fill(0)?; // NumPy: x[:, -1] = 0
        /// assert_eq!(x.view().t().part(-1).to_host()?, [0, 0, 0]);
        /// # Ok::<(), gpu_runtime::Error>(())
        /// ```
        #[track_caller]
        #[must_use]
        pub fn part(self, parts: impl ArrayPart) -> Self {
            let part = self.layout.part(&parts.choices());
            self.with_part(part)
        }

        /// The element at an index of each axis, as a copy on the host: `view[i, j]`. Waits for all earlier operations on the device.
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
        /// let mut x = Device::cpu().arange(0, 6, 1)?.reshape([2, 3])?;
        /// assert_eq!(x.get([1, 2])?, 5);
        /// x.set([1, 2], 7)?;
        /// assert_eq!(x.view().t().get([2, 1])?, 7);
        /// assert_eq!(x.row(1).get(0)?, 3);
        /// # Ok::<(), gpu_runtime::Error>(())
        /// ```
        #[track_caller]
        pub fn get(&self, index: impl Into<Shape>) -> Result<T> {
            Ok(self.view().element(index.into()).to_host()?[0])
        }

        /// The view with one more axis, with a single element, at position `axis`: `np.expand_dims(view, axis)`.
        ///
        /// # Panics
        ///
        /// If `axis` is past the end of the axes, or the view already has [`MAX_RANK`](crate::MAX_RANK) axes.
        #[track_caller]
        #[must_use]
        pub fn insert_axis(self, axis: impl Axis) -> Self {
            Self { layout: self.layout.insert_axis(axis.of(self.layout.shape.rank() + 1)), ..self }
        }

        /// The same elements in the same (C) order with another shape: `view.reshape(shape)`, which never copies here.
        ///
        /// # Errors
        ///
        /// [`Error::ShapeMismatch`](crate::Error::ShapeMismatch) if `shape` has more or fewer elements, and
        /// [`Error::NotContiguous`](crate::Error::NotContiguous) if the elements would have to be copied.
        ///
        /// ```
        /// use gpu_runtime::prelude::*;
        ///
        /// let array = Device::cpu().zeros::<f32>([4, 6])?;
        /// assert_eq!(array.view().slice_axis(0, 1..3).reshape([3, 4])?.shape(), [3, 4]);
        /// assert!(array.view().t().reshape(24).is_err());
        /// # Ok::<(), gpu_runtime::Error>(())
        /// ```
        #[track_caller]
        pub fn reshape(self, shape: impl Into<Shape> /* `x.reshape([rows, columns])?` */) -> Result<Self> {
            let shape = shape.into();
            check_reshape(self.shape(), shape)?;
            match self.layout.reshape(shape) {
                Some(layout) => Ok(Self { layout, ..self }),
                None => Err(Error::NotContiguous {
                    operation: format!("reshape to {shape}, without copying,"),
                    shape: Box::new(self.shape()),
                    strides: self.strides().to_vec(),
                    help: "copy it first, `lazy(view).collect()?`, and reshape the copy",
                    location: std::panic::Location::caller(),
                }),
            }
        }

        /// A copy of its elements in C order: `view.copy_to_host()`. Waits for all earlier operations on the device.
        ///
        /// If it is not contiguous on a GPU, all memory from its first to its last element is copied over the bus.
        ///
        /// # Errors
        ///
        /// [`Error::KernelFailed`](crate::Error::KernelFailed) if a kernel failed since the last report.
        pub fn to_host(&self) -> Result<Vec<T>> {
            let len = self.len();
            let mut host: Vec<T> = crate::memory::reserve(len)?;
            // SAFETY: the view is of elements of the device, the vector has room for them, and once they are there, it holds
            // that many.
            unsafe {
                gather(self.owner, self.pointer, &self.layout, host.as_mut_ptr())?;
                host.set_len(len);
            }
            Ok(host)
        }

        /// Copies its elements in C order into `host`. Waits for all earlier operations on the device.
        ///
        /// # Errors
        ///
        /// [`Error::LengthMismatch`](crate::Error::LengthMismatch) if `host` is shorter or longer, and
        /// [`Error::KernelFailed`](crate::Error::KernelFailed) if a kernel failed since the last report.
        #[track_caller]
        pub fn copy_to_host(&self, host: &mut [T]) -> Result<()> {
            check_lengths(self.len(), host.len())?;
            // SAFETY: the view is of elements of the device, and `host` has as many.
            unsafe { gather(self.owner, self.pointer, &self.layout, host.as_mut_ptr()) }
        }

        /// The same elements, for use on a stream: copies, and launches and array functions with this as their first array, run there. See
        /// [`Stream`](crate::Stream).
        ///
        /// # Panics
        ///
        /// If the stream is one of another device.
        #[track_caller]
        #[must_use]
        pub fn on(self, stream: &'a crate::stream::Stream) -> Self {
            Self { owner: self.owner.on(stream), ..self }
        }

        /// The use of its memory.
        #[inline]
        pub(crate) fn memory_use(&self, access: Access) -> MemoryUse<'a> {
            self.owner.part_of_layout(self.pointer.addr(), &self.layout, size_of::<T>(), access)
        }

        /// The layout of its elements, from the one at [`Self::pointer`].
        #[inline]
        pub(crate) fn layout(&self) -> &Layout {
            &self.layout
        }

        /// The view of the part with the layout `part`.
        fn with_part(self, part: Part) -> Self {
            // Not `offset`: an address on a GPU is no host allocation that an offset could stay inside.
            Self { pointer: self.pointer.wrapping_offset(part.offset), layout: part.layout, ..self }
        }
    };
}

pub(super) use view_operations;
