//! Views as kernels and device functions see them on the CPU.

use std::fmt;
use std::marker::PhantomData;
use std::ops::{Index, IndexMut};

/// Elements along `N` axes, as a kernel or device function reads them: `a[[i, j]]`.
///
/// The type of a parameter, with one to four axes. A launch takes a device array of that rank or a
/// [`DeviceView`](crate::DeviceView) for it, so that transposes and parts of arrays reach a kernel without a copy. Every index
/// is checked on every axis; a check that a guard such as `i < a.shape()[0]` makes redundant costs the GPU nothing.
///
/// It is a handle of a pointer, a shape and strides, passed by value. In CUDA C one writes `a[i * stride + j]` by hand, and in
/// Numba an array of two dimensions, `a[i, j]`.
///
/// ```
/// use gpu_runtime::prelude::*;
///
/// #[gpu_kernel]
/// fn row_sums(a: View<f32, 2>, sums: &mut [f32]) {
///     let [rows, columns] = a.shape();
///     let i = grid_1d();
///     if i < rows {
///         let mut sum = 0.0;
///         for j in 0..columns {
///             sum += a[[i, j]];
///         }
///         sums[i] = sum;
///     }
/// }
///
/// let device = Device::cpu();
/// let matrix = device.to_device(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0])?.reshape([2, 3])?;
/// let mut sums = device.zeros(2)?;
/// row_sums(&matrix, &mut sums).forall(2)?;
/// assert_eq!(sums.to_host()?, [6.0, 15.0]);
///
/// let mut sums = device.zeros(3)?;
/// row_sums(matrix.view().t(), &mut sums).forall(3)?; // of the transpose: the columns
/// assert_eq!(sums.to_host()?, [5.0, 7.0, 9.0]);
/// # Ok::<(), gpu_runtime::Error>(())
/// ```
pub struct View<'a, T, const N: usize> {
    elements: Elements<T, N>,
    borrow: PhantomData<&'a [T]>,
}

/// Elements along `N` axes, as a kernel or device function writes them: `out[[i, j]] = x`.
///
/// The type of a parameter, like [`View`]. A launch takes `&mut array` or a [`DeviceViewMut`](crate::DeviceViewMut) for it.
/// Different indices are always different elements, so a kernel whose threads differ in an index of what they write is proved
/// free of data races.
///
/// ```
/// use gpu_runtime::prelude::*;
///
/// #[gpu_kernel]
/// fn fill(value: f32, out: ViewMut<f32, 2>) {
///     let (j, i) = grid_2d();
///     if i < out.shape()[0] && j < out.shape()[1] {
///         out[[i, j]] = value;
///     }
/// }
///
/// let mut matrix = Device::cpu().zeros::<f32>([3, 4])?;
/// let inner = matrix.view_mut().slice_axis(0, 1..2).slice_axis(1, 1..3); // NumPy: matrix[1:2, 1:3]
/// fill(5.0, inner).launch((1, 1), (8, 8))?;
/// assert_eq!(matrix.to_host()?, [0., 0., 0., 0., 0., 5., 5., 0., 0., 0., 0., 0.]);
/// # Ok::<(), gpu_runtime::Error>(())
/// ```
pub struct ViewMut<'a, T, const N: usize> {
    elements: Elements<T, N>,
    borrow: PhantomData<&'a mut [T]>,
}

/// What all threads of a launch share of a [`ViewMut`], which is not `Copy`.
pub struct SharedViewMut<'a, T, const N: usize> {
    elements: Elements<T, N>,
    borrow: PhantomData<&'a mut [T]>,
}

/// Where the elements are: element `[0, 0, …]`, and the extent and stride, in elements, of each axis.
struct Elements<T, const N: usize> {
    first: *mut T,
    shape: [usize; N],
    strides: [isize; N],
}

impl<T, const N: usize> Clone for Elements<T, N> {
    #[inline]
    fn clone(&self) -> Self {
        *self
    }
}

impl<T, const N: usize> Copy for Elements<T, N> {}

impl<T, const N: usize> Elements<T, N> {
    /// `len` elements in C order.
    #[track_caller]
    fn in_c_order(first: *mut T, len: usize, shape: [usize; N]) -> Self {
        let count = if shape.contains(&0) { Some(0) } else { shape.iter().try_fold(1usize, |count, &extent| count.checked_mul(extent)) };
        assert!(count == Some(len), "a slice of {len} elements cannot have the shape {shape:?}");
        let mut strides = [0; N];
        let mut stride = 1usize;
        for (axis, &extent) in shape.iter().enumerate().rev() {
            strides[axis] = stride.cast_signed();
            stride = stride.wrapping_mul(extent);
        }
        Self { first, shape, strides }
    }

    #[inline]
    fn len(&self) -> usize {
        // The elements can be counted, and those of an empty view are none however the product goes.
        self.shape.iter().fold(1, |product: usize, &extent| product.wrapping_mul(extent))
    }

    /// How many elements the one at `index` is behind the first.
    #[inline]
    fn offset(&self, index: [usize; N]) -> isize {
        let mut offset = 0isize;
        for (index, stride) in index.into_iter().zip(self.strides) {
            offset = offset.wrapping_add(index.cast_signed().wrapping_mul(stride));
        }
        offset
    }

    /// The element at `index`.
    ///
    /// # Safety
    ///
    /// Each index is below the extent of its axis.
    #[inline]
    unsafe fn at(&self, index: [usize; N]) -> *mut T {
        // SAFETY: there is an element at this index, in the same allocation as the first.
        unsafe { self.first.offset(self.offset(index)) }
    }

    #[inline]
    #[track_caller]
    fn check(&self, index: [usize; N]) {
        for (axis, (index, extent)) in index.into_iter().zip(self.shape).enumerate() {
            assert!(index < extent, "index out of bounds: the len of axis {axis} is {extent} but the index is {index}");
        }
    }
}

macro_rules! common {
    () => {
        /// How many elements there are along each axis: `a.shape`.
        #[inline]
        #[must_use]
        pub const fn shape(&self) -> [usize; N] {
            self.elements.shape
        }

        /// How many elements there are.
        #[inline]
        #[must_use]
        pub fn len(&self) -> usize {
            self.elements.len()
        }

        /// Whether there are no elements.
        #[inline]
        #[must_use]
        pub fn is_empty(&self) -> bool {
            self.len() == 0
        }

        /// The address of the element at `index`, if there is one.
        #[inline]
        pub(super) fn address_of(&self, index: [usize; N]) -> usize {
            self.elements.first.wrapping_offset(self.elements.offset(index)).addr()
        }

        /// The element at `index`, unchecked: `unsafe { *a.get_unchecked([i, j]) }`.
        ///
        /// # Safety
        ///
        /// Each index is below the extent of its axis.
        #[inline]
        #[must_use]
        pub unsafe fn get_unchecked(&self, index: [usize; N]) -> &T {
            // SAFETY: the caller guarantees the index, who made the view for the element and for aliases.
            unsafe { &*self.elements.at(index) }
        }
    };
}

impl<'a, T, const N: usize> View<'a, T, N> {
    /// The elements of `slice` in C order, the last axis contiguous: for calls of a device function on the host.
    ///
    /// # Panics
    ///
    /// If `shape` has more or fewer elements.
    ///
    /// ```
    /// use gpu_runtime::prelude::*;
    ///
    /// #[gpu_device]
    /// fn trace(a: View<f32, 2>) -> f32 {
    ///     let mut sum = 0.0;
    ///     for i in 0..a.shape()[0].min(a.shape()[1]) {
    ///         sum += a[[i, i]];
    ///     }
    ///     sum
    /// }
    ///
    /// assert_eq!(trace(View::from_slice(&[1.0, 2.0, 3.0, 4.0], [2, 2])), 5.0);
    /// ```
    #[track_caller]
    #[must_use]
    pub fn from_slice(slice: &'a [T], shape: [usize; N]) -> Self {
        Self { elements: Elements::in_c_order(slice.as_ptr().cast_mut(), slice.len(), shape), borrow: PhantomData }
    }

    /// # Safety
    ///
    /// For `'a` every element is initialised, in one allocation with `first`, and not written but by threads that nobody reads
    /// beside.
    pub(crate) unsafe fn from_raw_parts(first: *const T, shape: [usize; N], strides: [isize; N]) -> Self {
        Self { elements: Elements { first: first.cast_mut(), shape, strides }, borrow: PhantomData }
    }

    common!();
}

impl<'a, T, const N: usize> ViewMut<'a, T, N> {
    /// The elements of `slice` in C order, the last axis contiguous: for calls of a device function on the host.
    ///
    /// # Panics
    ///
    /// If `shape` has more or fewer elements.
    #[track_caller]
    #[must_use]
    pub fn from_slice(slice: &'a mut [T], shape: [usize; N]) -> Self {
        Self { elements: Elements::in_c_order(slice.as_mut_ptr(), slice.len(), shape), borrow: PhantomData }
    }

    common!();

    /// The element at `index`, unchecked, for writing.
    ///
    /// # Safety
    ///
    /// Each index is below the extent of its axis.
    #[inline]
    #[must_use]
    pub unsafe fn get_unchecked_mut(&mut self, index: [usize; N]) -> &mut T {
        // SAFETY: the caller guarantees the index, who made the view for the element and for aliases.
        unsafe { &mut *self.elements.at(index) }
    }
}

impl<'a, T, const N: usize> SharedViewMut<'a, T, N> {
    /// # Safety
    ///
    /// For `'a` every element is initialised, in one allocation with `first`, has one index, and is accessed through this handle
    /// and those made of it only.
    pub(crate) unsafe fn from_raw_parts(first: *mut T, shape: [usize; N], strides: [isize; N]) -> Self {
        Self { elements: Elements { first, shape, strides }, borrow: PhantomData }
    }

    /// How many elements there are along each axis.
    #[inline]
    #[must_use]
    pub const fn shape(&self) -> [usize; N] {
        self.elements.shape
    }

    /// How many elements there are.
    #[inline]
    #[must_use]
    #[allow(clippy::len_without_is_empty)]
    pub fn len(&self) -> usize {
        self.elements.len()
    }

    /// The handle of one thread.
    ///
    /// # Safety
    ///
    /// A reference to an element lasts for one statement and not across a barrier, and two threads use the same element without an
    /// order between them only where the caller of an `unsafe` launch promised that they do not.
    #[inline]
    #[must_use]
    pub const unsafe fn of_thread(&self) -> ViewMut<'a, T, N> {
        ViewMut { elements: self.elements, borrow: PhantomData }
    }
}

impl<T, const N: usize> Clone for View<'_, T, N> {
    #[inline]
    fn clone(&self) -> Self {
        *self
    }
}

impl<T, const N: usize> Copy for View<'_, T, N> {}

impl<T, const N: usize> Clone for SharedViewMut<'_, T, N> {
    #[inline]
    fn clone(&self) -> Self {
        *self
    }
}

impl<T, const N: usize> Copy for SharedViewMut<'_, T, N> {}

// SAFETY: it gives access to the elements like a `&[T]`.
unsafe impl<T: Sync, const N: usize> Send for View<'_, T, N> {}
// SAFETY: as above.
unsafe impl<T: Sync, const N: usize> Sync for View<'_, T, N> {}
// SAFETY: it gives access to the elements like a `&mut [T]`.
unsafe impl<T: Send, const N: usize> Send for ViewMut<'_, T, N> {}
// SAFETY: as above; a shared one only reads.
unsafe impl<T: Sync, const N: usize> Sync for ViewMut<'_, T, N> {}
// SAFETY: it gives no access by itself. Two threads may read one element through the handles made of it: `T: Sync`.
unsafe impl<T: Send + Sync, const N: usize> Send for SharedViewMut<'_, T, N> {}
// SAFETY: as above.
unsafe impl<T: Send + Sync, const N: usize> Sync for SharedViewMut<'_, T, N> {}

macro_rules! index {
    ($View:ident) => {
        impl<T, const N: usize> Index<[usize; N]> for $View<'_, T, N> {
            type Output = T;

            #[inline]
            #[track_caller]
            fn index(&self, index: [usize; N]) -> &T {
                self.elements.check(index);
                // SAFETY: just checked.
                unsafe { self.get_unchecked(index) }
            }
        }

        /// So that one axis needs no brackets: `x[i]`.
        impl<T> Index<usize> for $View<'_, T, 1> {
            type Output = T;

            #[inline]
            #[track_caller]
            fn index(&self, index: usize) -> &T {
                &self[[index]]
            }
        }

        impl<T, const N: usize> fmt::Debug for $View<'_, T, N> {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, "{}<{}>(shape {:?})", stringify!($View), std::any::type_name::<T>(), self.shape())
            }
        }
    };
}

index!(View);
index!(ViewMut);

impl<T, const N: usize> IndexMut<[usize; N]> for ViewMut<'_, T, N> {
    #[inline]
    #[track_caller]
    fn index_mut(&mut self, index: [usize; N]) -> &mut T {
        self.elements.check(index);
        // SAFETY: just checked.
        unsafe { self.get_unchecked_mut(index) }
    }
}

impl<T> IndexMut<usize> for ViewMut<'_, T, 1> {
    #[inline]
    #[track_caller]
    fn index_mut(&mut self, index: usize) -> &mut T {
        &mut self[[index]]
    }
}

/// An argument for a `View<T, N>` parameter of a device function.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a `View<{T}, {N}>`",
    label = "the device function expects a `View<{T}, {N}>` here",
    note = "pass a view parameter by its name; its elements and its number of axes must be the same"
)]
pub trait PassView<'a, T, const N: usize> {
    /// The view, for one call of a device function.
    fn pass_view(self) -> View<'a, T, N>;
}

/// An argument for a `ViewMut<T, N>` parameter of a device function.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a `ViewMut<{T}, {N}>`",
    label = "the device function expects a `ViewMut<{T}, {N}>` here",
    note = "pass a `ViewMut` parameter by its name; its elements and its number of axes must be the same"
)]
pub trait PassViewMut<'a, T, const N: usize> {
    /// The view, for one call of a device function.
    fn pass_view_mut(self) -> ViewMut<'a, T, N>;
}

impl<'a, T, const N: usize> PassView<'a, T, N> for View<'a, T, N> {
    #[inline]
    fn pass_view(self) -> View<'a, T, N> {
        self
    }
}

impl<'a, T, const N: usize> PassView<'a, T, N> for ViewMut<'a, T, N> {
    #[inline]
    fn pass_view(self) -> View<'a, T, N> {
        View { elements: self.elements, borrow: PhantomData }
    }
}

impl<'a, T, const N: usize> PassViewMut<'a, T, N> for ViewMut<'a, T, N> {
    #[inline]
    fn pass_view_mut(self) -> ViewMut<'a, T, N> {
        self
    }
}

impl<'a, T, const N: usize> PassViewMut<'a, T, N> for &'a mut ViewMut<'_, T, N> {
    #[inline]
    fn pass_view_mut(self) -> ViewMut<'a, T, N> {
        ViewMut { elements: self.elements, borrow: PhantomData }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elements_lie_where_the_strides_say() {
        let slice = [0, 1, 2, 3, 4, 5];
        let view = View::from_slice(&slice, [2, 3]);
        assert_eq!((view[[0, 0]], view[[0, 2]], view[[1, 0]], view[[1, 2]]), (0, 2, 3, 5));
        // SAFETY: rows from the last to the first, every second column.
        let reversed = unsafe { View::from_raw_parts(slice[3..].as_ptr(), [2, 2], [-3, 2]) };
        assert_eq!((reversed[[0, 0]], reversed[[0, 1]], reversed[[1, 0]], reversed[[1, 1]]), (3, 5, 0, 2));
        assert_eq!((reversed.len(), reversed.is_empty()), (4, false));
    }

    #[test]
    #[should_panic(expected = "the len of axis 1 is 3 but the index is 3")]
    fn an_index_past_its_axis_is_refused_though_the_slice_is_longer() {
        let _ = View::from_slice(&[0; 6], [2, 3])[[0, 3]];
    }

    #[test]
    #[should_panic(expected = "a slice of 6 elements cannot have the shape [4, 2]")]
    fn a_shape_with_more_elements_is_refused() {
        let _ = View::from_slice(&[0; 6], [4, 2]);
    }

    #[test]
    #[should_panic(expected = "cannot have the shape")]
    fn a_shape_whose_product_wraps_around_is_refused() {
        let _ = View::from_slice(&[0u8; 0], [1 << 32, 1 << 32]);
    }

    #[test]
    fn what_is_written_is_in_the_slice() {
        let mut slice = [0; 6];
        let mut view = ViewMut::from_slice(&mut slice, [3, 2]);
        view[[2, 1]] = 7;
        view[[0, 1]] += 2;
        assert_eq!(slice, [0, 2, 0, 0, 0, 7]);
        ViewMut::from_slice(&mut slice, [6])[3] = 4;
        assert_eq!(slice, [0, 2, 0, 4, 0, 7]);
    }
}
