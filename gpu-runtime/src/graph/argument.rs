//! What the code of a graph gets: arrays, which it borrows for each launch, and values.

use crate::atomic::Atomic;
use crate::backend::{Access, MemoryUse};
use crate::device::Device;
use crate::memory::{DeviceAtomics, DeviceSlice, DeviceSliceMut, DeviceView, DeviceViewMut, Layout};
use crate::source::DeviceType;
use crate::{Error, Result};

mod sealed {
    /// A launch trusts the memory that an argument says it has borrowed.
    pub trait Sealed {}
}

use self::sealed::Sealed;
use super::data::GraphData;
use super::key::{Key, Part};

/// One argument of a [`Graph`](super::Graph): a reference to an array or other [`GraphData`], a view or a part of an array, a number, a `bool` or
/// a `char`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be an argument of a graph",
    label = "not a device array, a view or a number",
    note = "the arguments are a tuple of `&array`, `&mut array`, views of arrays, numbers, and references to structs with `#[derive(GraphData)]`",
    note = "copy elements on the host first: `let x = device.to_device(&x)?;`, and pass `(&x,)`"
)]
pub trait GraphArgument: Sealed {
    /// The same type for another launch.
    type At<'x>: for<'a> GraphArgument<At<'a> = Self::At<'a>>;
    /// The same type in the name of a graph.
    type Static: 'static + for<'a> GraphArgument<At<'a> = Self::At<'a>>;

    /// The same argument for a shorter time.
    #[doc(hidden)]
    fn reborrow(&mut self) -> Self::At<'_>;

    /// Adds what distinguishes it from other arguments of its type.
    #[doc(hidden)]
    fn add_to_key(&self, key: &mut Key);

    /// Adds the memory of each array in it.
    #[doc(hidden)]
    fn list_memory<'s>(&'s self, memory: &mut Borrowed<'s>);
}

/// The memory that the arguments of a graph have borrowed.
#[doc(hidden)]
pub struct Borrowed<'s> {
    device: &'s Device,
    /// A device other than the graph's.
    other: Option<&'s Device>,
    /// What the graph may do with the arrays of [`GraphData`].
    pub(super) access: Access,
    uses: Vec<MemoryUse<'s>>,
}

impl<'s> Borrowed<'s> {
    /// That of arguments of a graph for `device`, and of what it has captured.
    pub(super) fn by(arguments: &'s impl GraphArguments, captured: &'s dyn Captured, device: &'s Device) -> Result<Vec<MemoryUse<'s>>> {
        let mut memory = Self { device, other: None, access: Access::Read, uses: Vec::new() };
        captured.list_captured(&mut memory);
        arguments.list_memory(&mut memory);
        match memory.other {
            None => Ok(memory.uses),
            Some(other) => Err(Error::GraphOfOtherDevice { graph: device.to_string(), other: other.to_string() }),
        }
    }

    #[inline]
    pub(super) fn add(&mut self, device: &'s Device, memory: MemoryUse<'s>) {
        if device != self.device {
            self.other = Some(device);
        }
        self.uses.push(memory);
    }
}

/// What a graph has borrowed as long as it lives, which it only reads.
pub(super) trait Captured: Send {
    fn list_captured<'s>(&'s self, memory: &mut Borrowed<'s>);
}

impl<C: GraphData + Send> Captured for C {
    fn list_captured<'s>(&'s self, memory: &mut Borrowed<'s>) {
        memory.access = Access::Read;
        self.list_memory(memory);
    }
}

/// Implements [`GraphArgument`] for types that borrow one array.
macro_rules! arrays {
    ($([$T:ident: $Bound:ident] $Array:ty, $At:ty, $Static:ty, |$array:ident| $reborrow:expr, $used:expr, $layout:expr;)*) => {$(
        impl<$T: $Bound> Sealed for $Array {}

        impl<$T: $Bound> GraphArgument for $Array {
            type At<'a> = $At;
            type Static = $Static;

            #[inline]
            fn reborrow(&mut self) -> Self::At<'_> {
                let $array = self;
                $reborrow
            }

            #[inline]
            fn add_to_key(&self, key: &mut Key) {
                let $array = self;
                let (first, layout) = $layout;
                key.add(Part::Array { first, layout });
            }

            #[inline]
            fn list_memory<'s>(&'s self, memory: &mut Borrowed<'s>) {
                let $array = self;
                memory.add($array.device(), $used);
            }
        }
    )*};
}

arrays! {
    [T: DeviceType] DeviceSlice<'_, T>, DeviceSlice<'a, T>, DeviceSlice<'static, T>, |slice| *slice,
    slice.memory_use(Access::Read), (slice.address(), Layout::c_order(slice.len().into()));

    [T: DeviceType] DeviceSliceMut<'_, T>, DeviceSliceMut<'a, T>, DeviceSliceMut<'static, T>, |slice| slice.slice_mut(..),
    slice.memory_use(Access::Write), (slice.address(), Layout::c_order(slice.len().into()));

    [A: Atomic] DeviceAtomics<'_, A>, DeviceAtomics<'a, A>, DeviceAtomics<'static, A>, |atomics| *atomics,
    atomics.memory_use(), (atomics.address(), Layout::c_order(atomics.len().into()));

    [T: DeviceType] DeviceView<'_, T>, DeviceView<'a, T>, DeviceView<'static, T>, |view| *view,
    view.memory_use(Access::Read), (view.pointer().addr() as u64, *view.layout());

    [T: DeviceType] DeviceViewMut<'_, T>, DeviceViewMut<'a, T>, DeviceViewMut<'static, T>, |view| view.reborrow(),
    view.memory_use(Access::Write), (view.pointer().addr() as u64, *view.layout());
}

/// Implements [`GraphArgument`] for references.
macro_rules! references {
    ($($Reference:ty, $At:ty, $Static:ty, $access:expr;)*) => {$(
        impl<D: GraphData + ?Sized> Sealed for $Reference {}

        impl<D: GraphData + ?Sized + 'static> GraphArgument for $Reference {
            type At<'a> = $At;
            type Static = $Static;

            #[inline]
            fn reborrow(&mut self) -> Self::At<'_> {
                self
            }

            #[inline]
            fn add_to_key(&self, key: &mut Key) {
                GraphData::add_to_key(&**self, key);
            }

            #[inline]
            fn list_memory<'s>(&'s self, memory: &mut Borrowed<'s>) {
                memory.access = $access;
                GraphData::list_memory(&**self, memory);
            }
        }
    )*};
}

references! {
    &D, &'a D, &'static D, Access::Read;
    &mut D, &'a mut D, &'static mut D, Access::Write;
}

/// Implements [`GraphArgument`] for values, which are the same if their bits are.
macro_rules! values {
    ($($T:ty, |$value:ident| $bits:expr;)*) => {$(
        impl Sealed for $T {}

        impl GraphArgument for $T {
            type At<'a> = $T;
            type Static = $T;

            #[inline]
            fn reborrow(&mut self) -> $T {
                *self
            }

            #[inline]
            fn add_to_key(&self, key: &mut Key) {
                let $value = *self;
                key.add(Part::Number($bits));
            }

            #[inline]
            fn list_memory<'s>(&'s self, _: &mut Borrowed<'s>) {}
        }

        // SAFETY: it has no memory of a device.
        unsafe impl GraphData for $T {
            #[inline]
            fn add_to_key(&self, key: &mut Key) {
                GraphArgument::add_to_key(self, key);
            }

            #[inline]
            fn list_memory<'s>(&'s self, _: &mut Borrowed<'s>) {}
        }
    )*};
}

values! {
    f32, |value| value.to_bits().into();
    f64, |value| value.to_bits();
    i8, |value| value as u64;
    i16, |value| value as u64;
    i32, |value| value as u64;
    i64, |value| value as u64;
    isize, |value| value as u64;
    u8, |value| value.into();
    u16, |value| value.into();
    u32, |value| value.into();
    u64, |value| value;
    usize, |value| value as u64;
    bool, |value| value.into();
    char, |value| value.into();
}

/// The arguments of a [`Graph`](super::Graph): a tuple of up to twelve [`GraphArgument`]s.
#[diagnostic::on_unimplemented(
    message = "the arguments of a graph are a tuple, not `{Self}`",
    label = "not a tuple of arguments",
    note = "write `(&x, &mut y, 0.5)`, and `(&mut x,)` for one argument"
)]
pub trait GraphArguments: Sealed {
    /// The same types for another launch.
    type At<'x>: for<'a> GraphArguments<At<'a> = Self::At<'a>>;
    /// The same types in the name of a graph.
    type Static: 'static + for<'a> GraphArguments<At<'a> = Self::At<'a>>;

    /// The same arguments for a shorter time.
    #[doc(hidden)]
    fn reborrow(&mut self) -> Self::At<'_>;

    /// What distinguishes them from other arguments of their types.
    #[doc(hidden)]
    fn key(&self) -> Key;

    /// Adds the memory of each array.
    #[doc(hidden)]
    fn list_memory<'s>(&'s self, memory: &mut Borrowed<'s>);
}

/// Implements [`GraphArguments`] for a tuple and all shorter ones.
macro_rules! tuples {
    ([$($A:ident $position:tt)*]) => {
        impl<$($A: GraphArgument),*> Sealed for ($($A,)*) {}

        impl<$($A: GraphArgument),*> GraphArguments for ($($A,)*) {
            type At<'a> = ($($A::At<'a>,)*);
            type Static = ($($A::Static,)*);

            #[inline]
            #[allow(clippy::unused_unit)]
            fn reborrow(&mut self) -> Self::At<'_> {
                ($(self.$position.reborrow(),)*)
            }

            #[inline]
            #[allow(unused_mut)]
            fn key(&self) -> Key {
                let mut key = Key::default();
                $(self.$position.add_to_key(&mut key);)*
                key
            }

            #[inline]
            #[allow(unused_variables)]
            fn list_memory<'s>(&'s self, memory: &mut Borrowed<'s>) {
                $(self.$position.list_memory(memory);)*
            }
        }
    };
    ([$($done:tt)*] $A:ident $position:tt $($rest:tt)*) => {
        tuples!([$($done)*]);
        tuples!([$($done)* $A $position] $($rest)*);
    };
}

tuples!([] A0 0 A1 1 A2 2 A3 3 A4 4 A5 5 A6 6 A7 7 A8 8 A9 9 A10 10 A11 11);
