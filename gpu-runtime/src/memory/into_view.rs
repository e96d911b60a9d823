//! The arguments for a view parameter of a kernel.

use super::{DeviceArray, DeviceSlice, DeviceSliceMut, DeviceView, DeviceViewMut};
use crate::source::DeviceType;

/// The arguments for a `View<T, N>` parameter of a kernel: `&array` of an array with `N` axes, or a [`DeviceView`] with `N` axes, such as a
/// transpose or a part.
///
/// The number of axes of an array is only known at run time. A launch with a different number returns
/// [`Error::RankMismatch`](crate::Error::RankMismatch).
#[diagnostic::on_unimplemented(
    message = "a kernel parameter `View<{T}, {N}>` takes a device array of `{T}` or a view of one, not `{Self}`",
    label = "not a device array of `{T}`",
    note = "the elements must have the type `{T}`: make the array with it, or convert numbers of another type, such as `lazy(&array).cast::<f64>().collect()?`",
    note = "pass `&array`, or a view of a part of it, `array.view().slice_axis(0, a..b)`: a `DeviceSlice` has no axes"
)]
pub trait IntoView<'a, T, const N: usize> {
    /// The view to launch with.
    fn into_view(self) -> DeviceView<'a, T>;
}

/// The arguments for a `ViewMut<T, N>` parameter of a kernel: `&mut array` of an array with `N` axes, or a [`DeviceViewMut`] with `N` axes.
/// A repeated (broadcast) view is not accepted: two indices would be the same element.
#[diagnostic::on_unimplemented(
    message = "a kernel parameter `ViewMut<{T}, {N}>` takes a mutable device array of `{T}` or a mutable view of one, not `{Self}`",
    label = "not a mutable device array of `{T}`",
    note = "make the array on the device, `let mut array = device.zeros::<{T}>([…])?;`, and pass `&mut array` or `array.view_mut()`"
)]
pub trait IntoViewMut<'a, T, const N: usize> {
    /// The view to launch with.
    fn into_view_mut(self) -> DeviceViewMut<'a, T>;
}

impl<'a, T: DeviceType, const N: usize> IntoView<'a, T, N> for &'a DeviceArray<T> {
    #[inline]
    fn into_view(self) -> DeviceView<'a, T> {
        self.view()
    }
}

/// As `&mut [T]` is taken for `&[T]`.
impl<'a, T: DeviceType, const N: usize> IntoView<'a, T, N> for &'a mut DeviceArray<T> {
    #[inline]
    fn into_view(self) -> DeviceView<'a, T> {
        self.view()
    }
}

impl<'a, T: DeviceType, const N: usize> IntoView<'a, T, N> for &'a mut DeviceViewMut<'_, T> {
    #[inline]
    fn into_view(self) -> DeviceView<'a, T> {
        self.view()
    }
}

impl<'a, T: DeviceType, const N: usize> IntoView<'a, T, N> for DeviceView<'a, T> {
    #[inline]
    fn into_view(self) -> DeviceView<'a, T> {
        self
    }
}

impl<'a, T: DeviceType, const N: usize> IntoView<'a, T, N> for &DeviceView<'a, T> {
    #[inline]
    fn into_view(self) -> DeviceView<'a, T> {
        *self
    }
}

impl<'a, T: DeviceType, const N: usize> IntoView<'a, T, N> for &'a DeviceViewMut<'_, T> {
    #[inline]
    fn into_view(self) -> DeviceView<'a, T> {
        self.view()
    }
}

impl<'a, T: DeviceType> IntoView<'a, T, 1> for DeviceSlice<'a, T> {
    #[inline]
    fn into_view(self) -> DeviceView<'a, T> {
        self.view()
    }
}

impl<'a, T: DeviceType, const N: usize> IntoViewMut<'a, T, N> for &'a mut DeviceArray<T> {
    #[inline]
    fn into_view_mut(self) -> DeviceViewMut<'a, T> {
        self.view_mut()
    }
}

impl<'a, T: DeviceType, const N: usize> IntoViewMut<'a, T, N> for DeviceViewMut<'a, T> {
    #[inline]
    fn into_view_mut(self) -> DeviceViewMut<'a, T> {
        self
    }
}

impl<'a, T: DeviceType, const N: usize> IntoViewMut<'a, T, N> for &'a mut DeviceViewMut<'_, T> {
    #[inline]
    fn into_view_mut(self) -> DeviceViewMut<'a, T> {
        self.reborrow()
    }
}

impl<'a, T: DeviceType> IntoViewMut<'a, T, 1> for &'a mut DeviceSliceMut<'_, T> {
    #[inline]
    fn into_view_mut(self) -> DeviceViewMut<'a, T> {
        self.reborrow().view_mut()
    }
}
