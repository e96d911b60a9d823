//! The inputs of an expression for untyped code: the leaves of the tree, in order.

use std::any::TypeId;
use std::cell::Cell;
use std::fmt;
use std::mem;
use std::panic::Location;

use super::product::Deferred;
use crate::backend::{Access, MemoryUse};
use crate::device::Device;
use crate::memory::{DeviceView, Layout, Owner, Shape};
use crate::source::Element;
use crate::{Error, Result};

/// The inputs of an expression, in the order in which its code names them.
#[doc(hidden)]
#[derive(Default)]
pub struct Inputs<'a> {
    pub(crate) list: Vec<Input<'a>>,
    /// The devices that the user chose, and by what.
    pub(super) chosen: Vec<(Place, &'a Device)>,
    /// How many axes of extent 1 to append to each input that is added.
    appended_axes: usize,
    /// The axes of an input that got more than an array can have.
    pub(super) too_many_axes: Option<usize>,
    /// Whether products of matrices are handed over without being computed.
    defers: bool,
    /// Why an input could not be computed, until it is reported.
    failure: Cell<Option<Error>>,
}

/// What says on which device an expression runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Place {
    /// The argument with that number, counted from 1 in the order in which they are written: those of inner functions too.
    Argument(usize),
    /// `.on(&device)`.
    On,
    /// The array that holds the results.
    Target,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Argument(number) => write!(f, "argument {number}"),
            Self::On => f.write_str("`on(…)`"),
            Self::Target => f.write_str("the array for the result"),
        }
    }
}

/// A leaf of an expression.
#[derive(Clone)]
pub(crate) struct Input<'a> {
    pub(crate) kind: InputKind<'a>,
    pub(crate) layout: Layout,
    /// The bytes of an element.
    pub(crate) size: usize,
    /// The type of an element.
    pub(crate) element: TypeId,
}

#[derive(Clone, Copy)]
pub(crate) enum InputKind<'a> {
    /// Elements on a device, from this address.
    Device { owner: Owner<'a>, pointer: *const u8 },
    /// Elements in host memory, from this address.
    Host { pointer: *const u8 },
    /// A copy of such, on the device that the expression runs on.
    Uploaded { pointer: *const u8 },
    /// A value at this address.
    Scalar { pointer: *const u8 },
    /// An array that is not computed yet, and where the element with index 0 on every axis is in it, counted in elements.
    Deferred { array: &'a dyn Deferred, offset: isize },
    /// The index of the element, times the strides of the layout, added to the first: it has no memory.
    Index { first: usize },
}

impl<'a> Input<'a> {
    /// The use of its memory, if that is an array's.
    pub(super) fn memory_use(&self) -> Option<MemoryUse<'a>> {
        match self.kind {
            InputKind::Device { owner, pointer } => Some(owner.part_of_layout(pointer.addr(), &self.layout, self.size, Access::Read)),
            _ => None,
        }
    }
}

impl InputKind<'_> {
    /// Where the element with index 0 on every axis is, if it is in memory.
    pub(crate) fn pointer(&self) -> Option<*const u8> {
        match *self {
            Self::Device { pointer, .. } | Self::Host { pointer } | Self::Uploaded { pointer } => Some(pointer),
            Self::Scalar { .. } | Self::Deferred { .. } | Self::Index { .. } => None,
        }
    }

    /// The same with its first element `offset` elements, of `size` bytes, further on.
    pub(super) fn moved(self, offset: isize, size: usize) -> Self {
        let bytes = offset.wrapping_mul(size as isize);
        match self {
            Self::Device { owner, pointer } => Self::Device { owner, pointer: pointer.wrapping_offset(bytes) },
            Self::Host { pointer } => Self::Host { pointer: pointer.wrapping_offset(bytes) },
            Self::Uploaded { pointer } => Self::Uploaded { pointer: pointer.wrapping_offset(bytes) },
            Self::Scalar { pointer } => Self::Scalar { pointer },
            Self::Deferred { array, offset: before } => Self::Deferred { array, offset: before + offset },
            Self::Index { first } => Self::Index { first: first.wrapping_add_signed(offset) },
        }
    }
}

impl<'a> Inputs<'a> {
    /// To which arrays are added that are not computed yet.
    pub(super) fn deferring() -> Self {
        Self { defers: true, ..Self::default() }
    }

    /// Whether [`deferred`](Self::deferred) is wanted, for an array on a known device.
    pub(crate) fn defers(&self) -> bool {
        self.defers
    }

    /// An array that is not computed yet.
    pub(crate) fn deferred<T: Element>(&mut self, array: &'a dyn Deferred, shape: Shape) {
        self.push::<T>(InputKind::Deferred { array, offset: 0 }, Layout::c_order(shape));
    }

    /// Why they cannot be used, if they cannot.
    pub(super) fn check(&self, function: &'static str, place: &'static Location<'static>) -> Result<()> {
        match (self.failure.take(), self.too_many_axes) {
            (Some(error), _) => Err(error.of_call(place)),
            (None, Some(rank)) => Err(Error::ResultTooManyAxes { function, rank, location: place }),
            (None, None) => Ok(()),
        }
    }

    /// An input is missing, because computing it failed.
    pub(crate) fn fail(&mut self, error: Error) {
        self.failure.set(Some(error));
    }

    pub(crate) fn array<T: Element>(&mut self, view: &DeviceView<'a, T>) {
        self.push::<T>(InputKind::Device { owner: view.owner(), pointer: view.pointer().cast() }, *view.layout());
    }

    pub(super) fn host<T: Element>(&mut self, pointer: *const T, layout: Layout) {
        self.push::<T>(InputKind::Host { pointer: pointer.cast() }, layout);
    }

    pub(super) fn scalar<T: Element>(&mut self, value: &'a T) {
        self.push::<T>(InputKind::Scalar { pointer: (&raw const *value).cast() }, Layout::c_order([].into()));
    }

    pub(super) fn index(&mut self, layout: Layout) {
        self.push::<usize>(InputKind::Index { first: 0 }, layout);
    }

    pub(super) fn choose(&mut self, place: Place, device: &'a Device) {
        self.chosen.push((place, device));
    }

    /// The devices of the arrays, and those that were chosen.
    pub(super) fn devices(&self) -> impl Iterator<Item = (Place, &'a Device)> + '_ {
        let of_arrays = self.list.iter().enumerate().filter_map(|(index, input)| match input.kind {
            InputKind::Device { owner, .. } => Some((Place::Argument(index + 1), owner.device)),
            InputKind::Deferred { array, .. } => array.device().map(|device| (Place::Argument(index + 1), device)),
            _ => None,
        });
        of_arrays.chain(self.chosen.iter().copied())
    }

    /// What `add` adds has `axes` more axes, of extent 1, at the end.
    pub(super) fn with_appended_axes(&mut self, axes: usize, add: impl FnOnce(&mut Self)) {
        self.appended_axes += axes;
        add(self);
        self.appended_axes -= axes;
    }

    /// What `add` adds is then rearranged by `change`, before the axes of an outer product follow.
    pub(super) fn rearranged(&mut self, add: impl FnOnce(&mut Self), change: impl FnOnce(&mut [Input<'a>])) {
        let (first, appended) = (self.list.len(), mem::take(&mut self.appended_axes));
        add(self);
        change(&mut self.list[first..]);
        self.appended_axes = appended;
        for number in first..self.list.len() {
            self.list[number].layout = self.with_axes(self.list[number].layout, appended);
        }
    }

    /// The layout with so many more axes, if there can be as many.
    fn with_axes(&mut self, layout: Layout, appended: usize) -> Layout {
        layout.with_appended_axes(appended).unwrap_or_else(|| {
            self.too_many_axes = Some(layout.shape.rank() + appended);
            layout
        })
    }

    fn push<T: Element>(&mut self, kind: InputKind<'a>, layout: Layout) {
        // A scalar goes with every shape.
        let appended = if matches!(kind, InputKind::Scalar { .. }) { 0 } else { self.appended_axes };
        let layout = self.with_axes(layout, appended);
        self.list.push(Input { kind, layout, size: size_of::<T>(), element: TypeId::of::<T>() });
    }
}
