//! Some elements of an array: those where a mask is true, and those at given indices.

use super::Contiguous;
use crate::memory::{DeviceArray, Shape};
use crate::scalar::{Integer, Num};
use crate::ufunc::{ArrayLike, Elementwise, Scans, give_to_arrays, iota};
use crate::{Error, Result, gpu_kernel, intrinsics::grid_1d};

/// Stores the elements where `mask` is true. `ends[i]` is how many there are up to and including index `i`.
#[gpu_kernel]
pub(super) fn filter_elements<T: Num>(x: &[T], mask: &[bool], ends: &[usize], out: &mut [T]) {
    let i = grid_1d();
    if i < x.len() && mask[i] {
        out[ends[i] - 1] = x[i];
    }
}

/// Stores the elements at `indices` of an axis of `len`, with `inner` elements for each index behind it.
#[gpu_kernel]
pub(super) fn take_elements<T: Num, I: Integer>(x: &[T], indices: &[I], len: usize, inner: usize, out: &mut [T]) {
    let i = grid_1d();
    if i < out.len() {
        let rows = i / inner;
        let (outer, at) = (rows / indices.len(), rows % indices.len());
        let index = indices[at].cast::<usize>();
        assert!(index < len, "an index is out of bounds of the axis");
        out[i] = x[(outer * len + index) * inner + i % inner];
    }
}

/// Some elements of an array, in a new array on its device.
///
/// ```
/// use gpu_runtime::prelude::*;
///
/// let device = Device::cpu();
/// let x = device.to_device(&[3, -1, 4, -1, 5])?;
/// assert_eq!(x.filter(x.gt(0))?.to_host()?, [3, 4, 5]); // NumPy: x[x > 0]
/// assert_eq!(x.lt(0).nonzero()?.to_host()?, [1, 3]);
/// assert_eq!(x.take(&device.to_device(&[4u32, 0, 4])?)?.to_host()?, [5, 3, 5]);
/// # Ok::<(), gpu_runtime::Error>(())
/// ```
pub trait Selections: ArrayLike {
    /// The elements where `mask`, of the same shape, is true, in C order: `x[mask]`. Waits for the device, which counts them.
    ///
    /// # Errors
    ///
    /// [`Error::ShapeMismatch`] if the shapes differ, [`Error::KernelFailed`], and as for [`collect`](crate::Lazy::collect).
    #[track_caller]
    fn filter(self, mask: impl ArrayLike<Item = bool>) -> Result<DeviceArray<Self::Item>>
    where
        Self::Item: Num,
    {
        let (x, mask) = (self.lazy(), mask.lazy());
        let (shape, of_mask) = (x.shape()?, mask.shape()?);
        if shape != of_mask {
            return Err(Error::shape_mismatch("filter", shape, of_mask, "the mask has the shape of the array"));
        }
        let (x, mask) = (x.stored()?, mask.stored()?);
        let (x, mask) = (Contiguous::of(&x)?, Contiguous::of(&mask)?);
        let (x, mask) = (x.slice(), mask.slice());
        let ends: DeviceArray<usize> = mask.select(1usize, 0usize).cumsum()?;
        let count = match ends.len() {
            0 => 0,
            len => ends.slice(len - 1..).to_host()?[0],
        };
        let mut out = DeviceArray::unspecified(x.device(), count.into())?;
        // SAFETY: where the mask is true, `ends` is higher than at every index before: no two threads write the same element.
        unsafe { filter_elements(x, mask, &ends, &mut out).forall_unchecked(x.len())? };
        Ok(out)
    }

    /// The indices in C order of the elements that are true: `np.flatnonzero(x)`. Waits for the device, which counts them.
    ///
    /// # Errors
    ///
    /// As for [`filter`](Self::filter).
    #[track_caller]
    fn nonzero(self) -> Result<DeviceArray<usize>>
    where
        Self: ArrayLike<Item = bool>,
    {
        let mask = self.lazy();
        let shape = mask.shape()?;
        let mask = mask.stored()?;
        iota(shape).on(mask.view().device()).filter(mask.view())
    }

    /// The elements at `indices` of an array with one axis: `np.take(x, indices)`. With more axes, the parts at `indices` of axis 0.
    ///
    /// # Errors
    ///
    /// As for [`take_axis`](Self::take_axis).
    #[track_caller]
    fn take<I: Integer>(self, indices: impl ArrayLike<Item = I>) -> Result<DeviceArray<Self::Item>>
    where
        Self::Item: Num,
    {
        self.take_axis(indices, 0)
    }

    /// The parts at `indices`, which have one axis, along `axis`: `np.take(x, indices, axis)`.
    ///
    /// # Errors
    ///
    /// [`Error::AxisOutOfRange`]; [`Error::ShapeMismatch`] if `indices` has more axes or fewer; and as for
    /// [`collect`](crate::Lazy::collect). The next call that waits reports an index that is negative or out of bounds.
    #[track_caller]
    fn take_axis<I: Integer>(self, indices: impl ArrayLike<Item = I>, axis: usize) -> Result<DeviceArray<Self::Item>>
    where
        Self::Item: Num,
    {
        let (x, indices) = (self.lazy(), indices.lazy());
        let (shape, of_indices) = (x.shape()?, indices.shape()?);
        let &len = shape.extents().get(axis).ok_or(Error::AxisOutOfRange { function: "take", axis, shape })?;
        if of_indices.rank() != 1 {
            return Err(Error::shape_mismatch("take", of_indices, 0.into(), "the indices have one axis"));
        }
        let mut extents = shape.extents().to_vec();
        extents[axis] = of_indices.extents()[0];
        let inner = extents[axis + 1..].iter().product();
        let (x, indices) = (x.stored()?, indices.stored()?);
        let (x, indices) = (Contiguous::of(&x)?, Contiguous::of(&indices)?);
        let (x, indices) = (x.slice(), indices.slice());
        let mut out = DeviceArray::unspecified(x.device(), Shape::from_extents(&extents).expect("it has as many axes"))?;
        if !out.is_empty() {
            take_elements(x, indices, len, inner, &mut out).forall(extents.iter().product())?;
        }
        Ok(out)
    }
}

give_to_arrays! { Selections }
