//! Writing to the elements of existing arrays: `fill`, `copy_from`, `+=` and the other assignments.
//!
//! `x += &y` is the expression `x + y`, stored where `x` is. Each element is read by the thread that writes it, before it does so.

use std::ops::{AddAssign, BitAndAssign, BitOrAssign, BitXorAssign, DivAssign, MulAssign, RemAssign, ShlAssign, ShrAssign, SubAssign};
use std::panic::Location;

use super::collect::{Loops, Request};
use super::expression::ArrayInput;
#[cfg(feature = "fft")]
use super::expression::ScalarInput;
use super::input::Place;
use super::operand::Operand;
use super::{Apply, ArrayFunction, Expression, IntoLazy, Lazy};
use crate::backend::Access;
use crate::failure::called;
use crate::functions::{self, ArithmeticElement};
use crate::memory::{DeviceArray, DeviceSliceMut, DeviceViewMut};
use crate::ops::Bits;
use crate::scalar::{Integer, Num};
use crate::source::Element;
use crate::{Error, Result};

/// An array on a device that can be written: `&mut` of a [`DeviceArray`], or of a part or view of one. Its methods write every element.
///
/// Such arrays also have the operators `+=`, `-=`, `*=`, `/=`, `%=`, `&=`, `|=`, `^=`, `<<=` and `>>=`, with an array or a number on
/// the right, which is broadcast.
///
/// ```
/// use gpu_runtime::prelude::*;
///
/// let device = Device::cpu();
/// let mut x = device.zeros::<i32>([2, 3])?;
/// x.fill(1)?;
/// x += &device.to_device(&[10, 20, 30])?;
/// x.view_mut().index_axis(0, 1).copy_from(7)?;
/// x *= 2;
/// assert_eq!(x.to_host()?, [22, 42, 62, 14, 14, 14]);
/// # Ok::<(), gpu_runtime::Error>(())
/// ```
///
/// # Panics
///
/// The operators, where [`copy_from`](Self::copy_from) returns an error: operators cannot return one.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not an array on a device that can be written",
    label = "not a mutable array",
    note = "pass `&mut array`, or a mutable part of one, such as `array.slice_mut(a..b)` or `array.part_mut((a..b, c..d))`"
)]
pub trait ArrayMut<'a>: Sized {
    /// The type of its elements.
    type Item: Element;

    /// It as a mutable view.
    fn into_view_mut(self) -> DeviceViewMut<'a, Self::Item>;

    /// Overwrites every element with `value`: `x.fill(value)`.
    ///
    /// # Errors
    ///
    /// [`Error::Compile`](crate::Error::Compile) on a GPU.
    #[track_caller]
    fn fill(self, value: Self::Item) -> Result<()> {
        copy(self.into_view_mut(), IntoLazy::<Self::Item>::into_lazy(value))
    }

    /// Overwrites its elements with those of `source`, which is broadcast: `x[...] = source`. Both on one device, it does not wait.
    ///
    /// # Errors
    ///
    /// [`Error::ShapeMismatch`] if the shape of `source` cannot be broadcast to that of `self`, and as for [`Lazy::collect`].
    #[track_caller]
    fn copy_from(self, source: impl IntoLazy<Self::Item>) -> Result<()> {
        let _call = called("copy_from");
        copy(self.into_view_mut(), source.into_lazy())
    }
}

macro_rules! mutable_arrays {
    ($($Array:ty: $view:expr;)*) => {$(
        impl<'a, T: Element> ArrayMut<'a> for $Array {
            type Item = T;

            fn into_view_mut(self) -> DeviceViewMut<'a, T> {
                $view(self)
            }
        }
    )*};
}

mutable_arrays! {
    &'a mut DeviceArray<T>: DeviceArray::view_mut;
    DeviceViewMut<'a, T>: std::convert::identity;
    &'a mut DeviceViewMut<'_, T>: DeviceViewMut::reborrow;
    DeviceSliceMut<'a, T>: DeviceSliceMut::view_mut;
    &'a mut DeviceSliceMut<'_, T>: |part: &'a mut DeviceSliceMut<'_, T>| part.reborrow().view_mut();
}

#[track_caller]
fn copy<T: Element, E: Expression<Item = T>>(target: DeviceViewMut<'_, T>, source: Lazy<E>) -> Result<()> {
    source.broadcast_to(target.shape())?.collect_into(target)
}

/// `target[…] = F(target[…], right[…])`.
#[track_caller]
fn apply<F, T, R>(target: DeviceViewMut<'_, T>, right: R) -> Result<()>
where
    F: ArrayFunction<Args = (T, R::Item), Output = T>,
    T: Element,
    R: Expression<Item: Element>,
{
    let result = Lazy::new(Apply::<F, _>::new((ArrayInput(target.view()), right)));
    let mut inputs = result.inputs();
    inputs.choose(Place::Target, target.device());
    let mut request = Request::new(F::NAME, inputs, Location::caller())?;
    if request.shape != target.shape() {
        return Err(Error::TargetShape {
            function: F::NAME,
            result: request.shape.into(),
            target: target.shape().into(),
            location: Location::caller(),
        });
    }
    request.targets.push(target.memory_use(Access::Write));
    let loops = Loops::of_expression(&result);
    // SAFETY: `target` is borrowed exclusively, and is as large as its layout says. The first input is the same memory with the same
    // layout: every element is read before it is written, by the same thread. `right` borrows other memory.
    unsafe { request.run(loops, &[target.pointer().cast()], &[*target.layout()]) }
}

/// `target *= factor`.
#[cfg(feature = "fft")]
#[track_caller]
pub(crate) fn scale<T: Num>(target: DeviceViewMut<'_, T>, factor: T) -> Result<()> {
    apply::<functions::mul::Function<T>, T, _>(target, ScalarInput(factor))
}

/// `target += right`, where `right` has the shape of `target`.
#[track_caller]
pub(crate) fn add_to<T: Num, E: Expression<Item = T>>(target: DeviceViewMut<'_, T>, right: Lazy<E>) -> Result<()> {
    apply::<functions::add::Function<T>, T, _>(target, right.into_inner())
}

/// One assignment: its array, the bounds of a right operand `R`, that as an expression, and the function.
macro_rules! assignment {
    (
        $Trait:ident $method:ident [$($generics:tt)*] $Array:ty, $right:ident: $Operand:path => $expression:expr,
        $Function:ty where $Bound:path
    ) => {
        impl<$($generics)*: Element + $Bound, R: $Operand> $Trait<R> for $Array {
            #[track_caller]
            fn $method(&mut self, $right: R) {
                let target = ArrayMut::into_view_mut(self);
                if let Err(error) = apply::<$Function, T, _>(target, $expression) {
                    panic!("{error}");
                }
            }
        }
    };
}

/// Assignments of elements of one type.
macro_rules! assignments {
    ($($Trait:ident $method:ident $function:ident $Bound:ident $Right:ty;)*) => {$(
        assignments! { @for [T] DeviceArray<T>, $Trait $method $function $Bound $Right }
        assignments! { @for ['a, T] DeviceViewMut<'a, T>, $Trait $method $function $Bound $Right }
        assignments! { @for ['a, T] DeviceSliceMut<'a, T>, $Trait $method $function $Bound $Right }
    )*};
    (@for [$($generics:tt)*] $Array:ty, $Trait:ident $method:ident $function:ident $Bound:ident $Right:ty) => {
        assignment! {
            $Trait $method [$($generics)*] $Array,
            right: IntoLazy<$Right> => right.into_lazy().into_inner(), functions::$function::Function<T> where $Bound
        }
    };
}

assignments! {
    RemAssign rem_assign rem Num T;
    BitAndAssign bitand_assign and Bits T;
    BitOrAssign bitor_assign or Bits T;
    BitXorAssign bitxor_assign xor Bits T;
    ShlAssign shl_assign shl Integer u32;
    ShrAssign shr_assign shr Integer u32;
}

/// Assignments of arithmetic, which may have elements of two types.
macro_rules! arithmetic {
    ($($Trait:ident $method:ident $Function:ident;)*) => {$(
        arithmetic! { @for [T] DeviceArray<T>, $Trait $method $Function }
        arithmetic! { @for ['a, T] DeviceViewMut<'a, T>, $Trait $method $Function }
        arithmetic! { @for ['a, T] DeviceSliceMut<'a, T>, $Trait $method $Function }
    )*};
    (@for [$($generics:tt)*] $Array:ty, $Trait:ident $method:ident $Function:ident) => {
        assignment! {
            $Trait $method [$($generics)*] $Array,
            right: Operand<T, Expression: Expression<Item = <R as Operand<T>>::Item>> => right.into_operand(),
            <T as ArithmeticElement<R::Item>>::$Function where ArithmeticElement<R::Item, Output = T>
        }
    };
}

arithmetic! {
    AddAssign add_assign Add;
    SubAssign sub_assign Sub;
    MulAssign mul_assign Mul;
    DivAssign div_assign Div;
}
