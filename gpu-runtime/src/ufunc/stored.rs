//! Elements in the memory of a device, for kernels that cannot be fused with the expression that computes them.

use std::any::TypeId;
use std::panic::Location;

use super::code::Load;
use super::input::{Input, InputKind};
use super::{ArrayLike, Expression, Lazy};
use crate::Result;
use crate::device::Device;
use crate::memory::{DeviceArray, DeviceView};
use crate::source::Element;

/// The elements of an expression: where they are, if it is an array, else in a new array.
pub(crate) enum Stored<'a, T: Element> {
    Array(DeviceView<'a, T>),
    Collected(DeviceArray<T>),
}

impl<T: Element> Stored<'_, T> {
    pub(crate) fn view(&self) -> DeviceView<'_, T> {
        match self {
            Self::Array(view) => *view,
            Self::Collected(array) => array.view(),
        }
    }
}

impl<E: Expression> Lazy<E> {
    /// The array that the expression is, if it is one.
    pub(crate) fn array<T: Element>(&self) -> Option<DeviceView<'_, T>>
    where
        E: Expression<Item = T>,
    {
        if TypeId::of::<E::Code>() != TypeId::of::<Load<T>>() {
            return None;
        }
        let inputs = self.inputs();
        match inputs.list[..] {
            [Input { kind: InputKind::Device { owner, pointer }, layout, .. }] if inputs.chosen.is_empty() => {
                // SAFETY: the expression is this one array, of `T`, with this layout, and borrows it as long as itself.
                Some(unsafe { DeviceView::new(owner, pointer.cast(), layout) })
            }
            _ => None,
        }
    }

    /// Its elements in memory of its device.
    #[track_caller]
    pub(crate) fn stored<T: Element>(&self) -> Result<Stored<'_, T>>
    where
        Self: ArrayLike<Item = T, Expression = E>,
        E: Expression<Item = T>,
    {
        match self.array() {
            Some(view) => Ok(Stored::Array(view)),
            None => Ok(Stored::Collected(self.evaluate(Location::caller())?)),
        }
    }

    /// The same, on the device of `other` if the expression has none of its own: its values, numbers or host arrays, go where those are that
    /// they are used with.
    #[track_caller]
    pub(crate) fn stored_with<T: Element>(&self, other: &Lazy<impl Expression>) -> Result<Stored<'_, T>>
    where
        Self: ArrayLike<Item = T, Expression = E>,
        E: Expression<Item = T>,
    {
        // An array has a device: that of the other is not asked for.
        match self.array() {
            Some(view) => Ok(Stored::Array(view)),
            None => self.stored_near(other.own_device()),
        }
    }

    /// The same, on that device if the expression has none of its own.
    #[track_caller]
    pub(crate) fn stored_near<T: Element>(&self, device: Option<&Device>) -> Result<Stored<'_, T>>
    where
        Self: ArrayLike<Item = T, Expression = E>,
        E: Expression<Item = T>,
    {
        let place = Location::caller();
        match device.filter(|_| self.own_device().is_none()) {
            Some(device) => Ok(Stored::Collected(self.collect_on(device, place)?.0)),
            None => self.stored(),
        }
    }

    /// The device of its arrays, or that it was put on.
    pub(crate) fn own_device(&self) -> Option<&Device> {
        self.deferring_inputs().devices().next().map(|(_, device)| device)
    }
}
