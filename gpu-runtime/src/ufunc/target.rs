//! Existing arrays that take the elements of a lazy array.

use super::ArrayMut;
use crate::memory::DeviceViewMut;
use crate::source::Element;

/// What [`collect_into`](super::Lazy::collect_into) writes to: `&mut` of a device array, a mutable view or part of one, or `&mut` of a slice or
/// `Vec` of the host.
#[diagnostic::on_unimplemented(
    message = "the elements, of type `{T}`, cannot be collected into `{Self}`",
    label = "not a mutable array of `{T}`",
    note = "pass `&mut` of a device array, a mutable view of one, or `&mut` of a `Vec` or slice"
)]
pub trait IntoTarget<'a, T: Element> {
    /// The target as memory for elements.
    #[doc(hidden)]
    fn into_target(self) -> Target<'a, T>;
}

/// Memory for elements.
#[doc(hidden)]
pub enum Target<'a, T: Element> {
    /// On a device.
    Device(DeviceViewMut<'a, T>),
    /// In host memory, along one axis.
    Host(&'a mut [T]),
}

#[diagnostic::do_not_recommend]
impl<'a, A: ArrayMut<'a>> IntoTarget<'a, A::Item> for A {
    fn into_target(self) -> Target<'a, A::Item> {
        Target::Device(self.into_view_mut())
    }
}

impl<'a, T: Element> IntoTarget<'a, T> for &'a mut [T] {
    fn into_target(self) -> Target<'a, T> {
        Target::Host(self)
    }
}

impl<'a, T: Element> IntoTarget<'a, T> for &'a mut Vec<T> {
    fn into_target(self) -> Target<'a, T> {
        Target::Host(self)
    }
}
