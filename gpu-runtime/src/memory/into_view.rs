//! What can be passed to a kernel for a view.

use super::{DeviceArray, DeviceSlice, DeviceSliceMut, DeviceView, DeviceViewMut};
use crate::source::DeviceType;

/// What a kernel accepts for a `View<T, N>` parameter: `&array` of an array with `N` axes, or a
/// [`DeviceView`] with as many, such as a transpose or a part.
///
/// How many axes an array has is known when the program runs. A launch with another number is refused with
/// [`Error::RankMismatch`](crate::Error::RankMismatch).
#[diagnostic::on_unimplemented(
    message = "a kernel parameter `View<{T}, {N}>` takes a device array of `{T}` or a view of one, not `{Self}`",
    label = "not a device array of `{T}`",
    note = "copy host data to the device first, `let array = device.to_device(&host)?.reshape([…])?;`, and pass `&array` or `array.view()`"
)]
pub trait IntoView<'a, T: DeviceType, const N: usize> {
    /// The view to launch with.
    fn into_view(self) -> DeviceView<'a, T>;
}

/// What a kernel accepts for a `ViewMut<T, N>` parameter: `&mut array` of an array with `N` axes, or a
/// [`DeviceViewMut`] with as many. A repeated (broadcast) view is none: two indices would be one element.
#[diagnostic::on_unimplemented(
    message = "a kernel parameter `ViewMut<{T}, {N}>` takes a mutable device array of `{T}` or a mutable view of one, not `{Self}`",
    label = "not a mutable device array of `{T}`",
    note = "make the array on the device, `let mut array = device.zeros::<{T}>([…])?;`, and pass `&mut array` or `array.view_mut()`"
)]
pub trait IntoViewMut<'a, T: DeviceType, const N: usize> {
    /// The view to launch with.
    fn into_view_mut(self) -> DeviceViewMut<'a, T>;
}

impl<'a, T: DeviceType, const N: usize> IntoView<'a, T, N> for &'a DeviceArray<T> {
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
        self.view_mut()
    }
}
