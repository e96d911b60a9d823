//! What lazy arrays do not do before they are collected, with what to write instead.

use std::fmt;
use std::marker::PhantomData;
use std::ops::Index;

use super::array_like::give_to_arrays;
use super::{ArrayLike, Lazy};
use crate::memory::{
    DeviceArray, DeviceSlice, DeviceSliceMut, DeviceView, DeviceViewMut, IntoDeviceSlice, IntoDeviceSliceMut, IntoView, IntoViewMut,
};
use crate::source::{DeviceType, Element};

/// A lazy array.
#[derive(Debug)]
pub struct Uncollected<E>(PhantomData<E>);

/// Met by nothing: a lazy array that is printed.
#[diagnostic::on_unimplemented(
    message = "this is a lazy array, whose elements are not computed yet",
    label = "compute and copy them first: `println!(\"{{:?}}\", lazy.to_host()?)`"
)]
pub trait Printed {}

/// Met by nothing: a lazy array, which has no elements yet.
#[diagnostic::on_unimplemented(
    message = "this is a lazy array, whose elements are not computed yet",
    label = "write `.collect()?` for a new array on the device, or `.to_host()?` for the elements on the host",
    note = "a kernel takes the collected array: `let array = lazy.collect()?;`, and `&array`"
)]
pub trait Collected {}

#[doc(hidden)]
impl<E> fmt::Debug for Lazy<E>
where
    Uncollected<E>: Printed,
{
    fn fmt(&self, _: &mut fmt::Formatter<'_>) -> fmt::Result {
        unreachable!()
    }
}

#[doc(hidden)]
impl<E> fmt::Display for Lazy<E>
where
    Uncollected<E>: Printed,
{
    fn fmt(&self, _: &mut fmt::Formatter<'_>) -> fmt::Result {
        unreachable!()
    }
}

/// What a lazy array is indexed with.
#[derive(Debug)]
pub struct Position<I>(PhantomData<I>);

/// Met by no type that a program has: an index of a lazy array.
#[diagnostic::on_unimplemented(
    message = "this is a lazy array, whose elements are not computed yet",
    label = "compute them first: `let elements = lazy.to_host()?;`"
)]
pub trait IndexOfCollected {}

/// Nobody's index: see [`memory`](crate::memory).
#[derive(Debug)]
pub enum Nothing {}

#[diagnostic::do_not_recommend]
impl IndexOfCollected for Position<Nothing> {}
#[diagnostic::do_not_recommend]
impl IndexOfCollected for Position<(Nothing,)> {}

#[doc(hidden)]
impl<E, I> Index<I> for Lazy<E>
where
    Position<I>: IndexOfCollected,
{
    type Output = f64;

    fn index(&self, _: I) -> &f64 {
        unreachable!()
    }
}

/// Refuses methods under NumPy's names, of which the words say what the method is called here.
macro_rules! other_names {
    ($(#[$about:meta])* $Names:ident; $($name:ident$(<$U:ident>)?($($A:ident),*) $Trait:ident: $numpy:literal, $here:literal;)*) => {
        $(
            /// Met by nothing: NumPy's name of a method that has another one here.
            #[diagnostic::on_unimplemented(message = $numpy, label = $here)]
            pub trait $Trait {}
        )*

        $(#[$about])*
        #[doc(hidden)]
        pub trait $Names: ArrayLike {
            $(
                #[doc(hidden)]
                fn $name<$($U,)? $($A),*>(self, $(_: $A),*) -> super::Lazy<Self::Expression>
                where
                    Uncollected<Self::Item>: $Trait,
                {
                    unreachable!()
                }
            )*
        }
    };
}

other_names! {
    /// NumPy's names of methods that have other names here.
    OtherNames;
    astype<U>() Astype: "NumPy's `astype` is the method `cast` here", "write `x.cast::<f32>()`";
    transpose() Transpose: "NumPy's `transpose` is the method `t` or `permute` of a view here", "write `x.t()`, or `x.view().permute([1, 0])` for an order of axes";
    flatten() Flatten: "NumPy's `flatten` is the method `reshape` here", "write `x.view().reshape(x.len())?`";
    ravel() Ravel: "NumPy's `ravel` is the method `reshape` here", "write `x.view().reshape(x.len())?`";
    squeeze() Squeeze: "NumPy's `squeeze` is an index of the axis here", "write `x.view().index_axis(axis, 0)`";
    expand_dims(A) ExpandDims: "NumPy's `expand_dims` is the method `insert_axis` of a view here", "write `x.view().insert_axis(axis)`";
    unsqueeze(A) Unsqueeze: "PyTorch's `unsqueeze` is the method `insert_axis` of a view here", "write `x.view().insert_axis(axis)`";
    swapaxes(A, B) Swapaxes: "NumPy's `swapaxes` is the method `swap_axes` of a view here", "write `x.view().swap_axes(0, 1)`";
    ndim() Ndim: "NumPy's `ndim` is the rank of the shape here", "write `x.shape().rank()`";
    size() Size: "NumPy's `size` is the method `len` here", "write `x.len()`, or `x.shape()[axis]` for the size of an axis";
    copy() Copied: "NumPy's `copy` is the method `collect` here", "write `x.collect()?`";
    numpy() OnHost: "the elements are copied to the host by `to_host`", "write `x.to_host()?`";
    tolist() InList: "the elements are copied to the host by `to_host`", "write `x.to_host()?`";
    absolute() Absolute: "NumPy's `absolute` is the method `abs` here", "write `x.abs()`";
    power(A) Power: "NumPy's `power` is the method `powi`, `powf` or `pow` here", "write `x.powi(2)` or `x.powf(0.5)` of floats, and `x.pow(2)` of integers";
    expm1() ExpM1: "NumPy's `expm1` is the method `exp_m1` here", "write `x.exp_m1()`";
    log1p() Ln1P: "NumPy's `log1p` is the method `ln_1p` here", "write `x.ln_1p()`";
    rint() Rint: "NumPy's `rint` is the method `round_ties_even` here", "write `x.round_ties_even()`";
    clip(A, B) Clip: "NumPy's `clip` is the method `clamp` here", "write `x.clamp(lowest, highest)`";
    logical_and(A) LogicalAnd: "NumPy's `logical_and` is the operator `&` here", "write `&a & &b`";
    logical_or(A) LogicalOr: "NumPy's `logical_or` is the operator `|` here", "write `&a | &b`";
    logical_not() LogicalNot: "NumPy's `logical_not` is the operator `!` here", "write `!&a`";
    item() Item: "NumPy's `item` is the method `get` here", "write `x.get([])?` of an array without axes, and `x.get(0)?` of one with an axis";
    dtype() Dtype: "the type of the elements is part of the type of an array here", "it is `f32` of a `DeviceArray<f32>`, and `x.cast::<f64>()` converts them";
    flip(A) Flip: "NumPy's `flip` is the method `reverse_axis` of a view here", "write `x.view().reverse_axis(axis)`";
    roll(A) Roll: "NumPy's `roll` is the method `roll_axis` here", "write `x.roll_axis(axis, shift)?`";
    outer(A) Outer: "NumPy's `outer` is the function `outer` of an array function here", "write `functions::mul::outer(&a, &b)`";
    allclose(A, B) AllClose: "NumPy's `allclose` is a comparison here", "write `(&x - &y).abs().max()? <= tolerance`";
    mm(A) Mm: "PyTorch's `mm` is the method `matmul` here", "write `a.matmul(&b)?`";
    concat(A, B) Concat: "NumPy's `concat` is the function `concatenate` here", "write `concatenate([&a, &b], axis)?`";
    compress(A) Compress: "NumPy's `compress` is the method `filter` here", "write `x.filter(&mask)?`";
    argwhere() Argwhere: "NumPy's `argwhere` is the method `nonzero` of a mask here", "write `mask.nonzero()?`, or `x.ne(0).nonzero()?` of numbers";
}

give_to_arrays! { OtherNames }

other_names! {
    /// Methods of views, which an array has not.
    MethodsOfViews;
    rank() Rank: "`rank` is a method of views", "write `x.shape().rank()`";
    permute(A) Permute: "`permute` is a method of views", "write `x.view().permute([1, 0])`";
    insert_axis(A) InsertAxis: "`insert_axis` is a method of views", "write `x.view().insert_axis(axis)`";
    swap_axes(A, B) SwapAxes: "`swap_axes` is a method of views", "write `x.view().swap_axes(0, 1)`";
    reverse_axis(A) ReverseAxis: "`reverse_axis` is a method of views", "write `x.view().reverse_axis(axis)`";
    broadcast_to(A) BroadcastTo: "`broadcast_to` is a method of views", "write `x.view().broadcast_to([rows, columns])?`";
}

// Not for references to views: a method that takes one would be found before those of the view.
impl<T: Element> MethodsOfViews for &DeviceArray<T> {}

/// Refuses a lazy array as an argument of a kernel.
macro_rules! refused_arguments {
    ($($Argument:ty;)*) => {$(
        #[doc(hidden)]
        impl<'a, T: DeviceType, E> IntoDeviceSlice<'a, T> for $Argument where Uncollected<E>: Collected {
            fn into_device_slice(self) -> DeviceSlice<'a, T> {
                unreachable!()
            }
        }

        #[doc(hidden)]
        impl<'a, T: DeviceType, E> IntoDeviceSliceMut<'a, T> for $Argument where Uncollected<E>: Collected {
            fn into_device_slice_mut(self) -> DeviceSliceMut<'a, T> {
                unreachable!()
            }
        }

        #[doc(hidden)]
        impl<'a, T: DeviceType, const AXES: usize, E> IntoView<'a, T, AXES> for $Argument where Uncollected<E>: Collected {
            fn into_view(self) -> DeviceView<'a, T> {
                unreachable!()
            }
        }

        #[doc(hidden)]
        impl<'a, T: DeviceType, const AXES: usize, E> IntoViewMut<'a, T, AXES> for $Argument where Uncollected<E>: Collected {
            fn into_view_mut(self) -> DeviceViewMut<'a, T> {
                unreachable!()
            }
        }
    )*};
}

refused_arguments! {
    Lazy<E>;
    &Lazy<E>;
    &mut Lazy<E>;
}
