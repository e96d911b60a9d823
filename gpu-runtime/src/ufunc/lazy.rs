//! The lazy array, and the types that can be turned into one.

use super::expression::{AppendAxes, ArrayInput, HostInput, OnDevice, OwnedInput, ScalarInput};
use super::{Expression, Item};
use crate::device::Device;
use crate::memory::{DeviceArray, DeviceSlice, DeviceSliceMut, DeviceView, DeviceViewMut};
use crate::source::Element;

/// A lazy array: an array function with its arguments, which is computed when it is collected or reduced.
///
/// It borrows its arrays, like an iterator, and can be an argument of other array functions and operators, which gives a larger expression.
/// Its methods are those of every [array](super::ArrayLike).
/// Each of these calls runs **one** kernel for the whole expression, which reads each input once:
///
/// | call | result |
/// |---|---|
/// | [`collect`](Lazy::collect) | a new array on the device |
/// | [`collect_into`](Lazy::collect_into) | the elements in an existing array |
/// | [`to_host`](Lazy::to_host) | a `Vec` |
/// | [`sum`](super::Reductions::sum), [`max`](super::Reductions::max) and other reductions | one value, or an array without one axis |
///
/// It runs on the device of its arrays. Host slices and numbers can be used with every device; an expression that consists only of these
/// runs on the device given by [`on`](Lazy::on), or on [`Device::best`].
#[derive(Clone, Copy)]
#[must_use = "nothing is computed until `.collect()?`, `.to_host()?` or a reduction such as `.sum()?`"]
pub struct Lazy<E> {
    pub(super) expression: E,
}

impl<E> Lazy<E> {
    /// For generated code.
    #[doc(hidden)]
    pub fn new(expression: E) -> Self {
        Self { expression }
    }

    /// For generated code.
    #[doc(hidden)]
    pub fn into_inner(self) -> E {
        self.expression
    }
}

/// An array of the host or a number as a lazy array, for its methods: `lazy(&vec).sqrt()`. Arrays on a device have them too.
///
/// ```
/// use gpu_runtime::prelude::*;
///
/// assert_eq!(lazy(&[1, 2, 3]).on(&Device::cpu()).sum()?, 6);
/// assert_eq!(lazy(&[1.0, 4.0]).sqrt().on(&Device::cpu()).to_host()?, [1.0, 2.0]);
/// # Ok::<(), gpu_runtime::Error>(())
/// ```
pub fn lazy<T: Element, A: IntoLazy<T>>(array: A) -> Lazy<A::Expression> {
    array.into_lazy()
}

impl<E: Expression> Lazy<E> {
    /// Runs on `device`: for an expression whose inputs are all on the host.
    pub fn on(self, device: &Device) -> Lazy<OnDevice<'_, E>> {
        Lazy::new(OnDevice { inner: self.expression, device })
    }

    /// The left side of an outer product: with `axes` more axes of extent 1 at the end.
    pub(crate) fn append_axes(self, axes: usize) -> Lazy<AppendAxes<E>> {
        Lazy::new(AppendAxes { inner: self.expression, axes })
    }
}

/// The arguments for a parameter of type `T` of an array function: a device array or a part of one, a host slice or `Vec`, a number, or a
/// lazy array. For a tuple, a tuple of these, or a lazy array of tuples.
#[diagnostic::on_unimplemented(
    message = "an array function takes arrays or numbers of type `{T}` here, not `{Self}`",
    label = "not an array of `{T}`",
    note = "convert elements of another number type first, such as `lazy(&x).cast::<f64>()`",
    note = "an array of structs needs an array function that takes the struct, such as `fn f(p: Point) -> Point`",
    note = "pass an array as a reference, `&array`"
)]
pub trait IntoLazy<T: Item> {
    /// Its type in an expression.
    type Expression: Expression<Item = T>;

    /// The argument as an expression.
    fn into_lazy(self) -> Lazy<Self::Expression>;
}

impl<T: Element> IntoLazy<T> for T {
    type Expression = ScalarInput<T>;

    fn into_lazy(self) -> Lazy<Self::Expression> {
        Lazy::new(ScalarInput(self))
    }
}

impl<T: Item, E: Expression<Item = T>> IntoLazy<T> for Lazy<E> {
    type Expression = E;

    fn into_lazy(self) -> Self {
        self
    }
}

impl<T: Item, E: Expression<Item = T>> IntoLazy<T> for &Lazy<E> {
    type Expression = E;

    fn into_lazy(self) -> Lazy<E> {
        self.clone()
    }
}

/// Arrays in the memory of a device, and parts of them.
macro_rules! in_memory {
    ($($Array:ty: |$array:ident| $view:expr;)*) => {$(
        impl<'a, T: Element> IntoLazy<T> for $Array {
            type Expression = ArrayInput<'a, T>;

            fn into_lazy(self) -> Lazy<Self::Expression> {
                let $array = self;
                Lazy::new(ArrayInput($view))
            }
        }
    )*};
}

in_memory! {
    &'a DeviceArray<T>: |array| array.view();
    &'a mut DeviceArray<T>: |array| array.view();
    DeviceView<'a, T>: |view| view;
    &DeviceView<'a, T>: |view| *view;
    &'a DeviceViewMut<'_, T>: |view| view.view();
    &'a mut DeviceViewMut<'_, T>: |view| view.view();
    DeviceSlice<'a, T>: |slice| slice.view();
    &DeviceSlice<'a, T>: |slice| slice.view();
    &'a DeviceSliceMut<'_, T>: |slice| slice.view();
    &'a mut DeviceSliceMut<'_, T>: |slice| slice.view();
}

/// So that a result can be an argument where it is made: `&x / x.sum_axis(keep_dims(1))?`.
impl<T: Element> IntoLazy<T> for DeviceArray<T> {
    type Expression = OwnedInput<T>;

    fn into_lazy(self) -> Lazy<Self::Expression> {
        Lazy::new(OwnedInput(self.into()))
    }
}

impl<'a, T: Element> IntoLazy<T> for &'a [T] {
    type Expression = HostInput<'a, T>;

    fn into_lazy(self) -> Lazy<Self::Expression> {
        Lazy::new(HostInput::flat(self))
    }
}

impl<'a, T: Element, const N: usize> IntoLazy<T> for &'a [T; N] {
    type Expression = HostInput<'a, T>;

    fn into_lazy(self) -> Lazy<Self::Expression> {
        Lazy::new(HostInput::flat(self))
    }
}

impl<'a, T: Element> IntoLazy<T> for &'a Vec<T> {
    type Expression = HostInput<'a, T>;

    fn into_lazy(self) -> Lazy<Self::Expression> {
        Lazy::new(HostInput::flat(self))
    }
}

/// An array or view of the crate `ndarray`, of any strides.
#[cfg(feature = "ndarray")]
impl<'a, T: Element, S: ndarray::Data<Elem = T>, D: ndarray::Dimension> IntoLazy<T> for &'a ndarray::ArrayBase<S, D> {
    type Expression = HostInput<'a, T>;

    fn into_lazy(self) -> Lazy<Self::Expression> {
        Lazy::new(HostInput::of_ndarray(self))
    }
}
