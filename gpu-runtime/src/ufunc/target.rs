//! Existing arrays that take the elements of a lazy array.

use std::marker::PhantomData;

use super::{ArrayMut, Item};
use crate::backend::{Access, MemoryUse};
use crate::device::Device;
use crate::memory::{DeviceViewMut, Layout};
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

/// What [`collect_into`](super::Lazy::collect_into) writes all components of an item to: an [`IntoTarget`], or for several results, a tuple of
/// mutable arrays.
#[diagnostic::on_unimplemented(
    message = "the elements, of type `{I}`, cannot be collected into `{Self}`",
    label = "not a mutable array of `{I}`",
    note = "pass `&mut` of a device array, a mutable view of one, or `&mut` of a `Vec` or slice",
    note = "several results are collected into a tuple of arrays on a device: `(&mut a, &mut b)`"
)]
pub trait IntoTargets<'a, I: Item> {
    /// The memory for each component.
    #[doc(hidden)]
    fn into_targets(self) -> Targets<'a>;
}

/// Memory for the components of items, which is borrowed exclusively.
#[doc(hidden)]
pub enum Targets<'a> {
    /// An array on a device for each.
    Device(Vec<DeviceTarget<'a>>),
    /// A slice of the host, of as many elements.
    Host { first: *mut u8, len: usize, elements: PhantomData<&'a mut [u8]> },
}

/// An array for one component.
#[doc(hidden)]
pub struct DeviceTarget<'a> {
    pub(super) device: &'a Device,
    pub(super) pointer: *mut u8,
    pub(super) layout: Layout,
    pub(super) used: MemoryUse<'a>,
}

impl<'a> DeviceTarget<'a> {
    fn of<T: Element>(view: DeviceViewMut<'a, T>) -> Self {
        Self { device: view.device(), pointer: view.pointer().cast(), layout: *view.layout(), used: view.memory_use(Access::Write) }
    }
}

#[diagnostic::do_not_recommend]
impl<'a, T: Element, A: IntoTarget<'a, T>> IntoTargets<'a, T> for A {
    fn into_targets(self) -> Targets<'a> {
        match self.into_target() {
            Target::Device(view) => Targets::Device(vec![DeviceTarget::of(view)]),
            Target::Host(elements) => Targets::Host { first: elements.as_mut_ptr().cast(), len: elements.len(), elements: PhantomData },
        }
    }
}

macro_rules! tuples {
    ($($($A:ident: $T:ident)*;)*) => {$(
        impl<'a, $($T: Element, $A: ArrayMut<'a, Item = $T>),*> IntoTargets<'a, ($($T,)*)> for ($($A,)*) {
            fn into_targets(self) -> Targets<'a> {
                #[allow(non_snake_case, reason = "a variable for each type")]
                let ($($A,)*) = self;
                Targets::Device(vec![$(DeviceTarget::of($A.into_view_mut())),*])
            }
        }
    )*};
}

tuples! {
    A: T B: U;
    A: T B: U C: V;
    A: T B: U C: V D: W;
}
