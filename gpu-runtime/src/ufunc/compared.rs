//! `==`, `<` and their relatives between arrays, which Rust lets return one `bool` only, with what to write instead.
//!
//! rustc reports an operator without an implementation in its own words, and shows the line of the type that lacks one: so that line says what
//! to write. Nothing meets the condition, whatever the other operand is, so the methods of these names stay those of arrays.

use std::cmp::Ordering;
use std::marker::PhantomData;

use super::{Expression, Lazy};
use crate::memory::{DeviceArray, DeviceSlice, DeviceSliceMut, DeviceView, DeviceViewMut};
use crate::source::DeviceType;

/// Elements of an array.
#[derive(Debug)]
pub struct Elements<T>(PhantomData<T>); // compare elements with methods: `x.eq(&y)`, `x.lt(0.0)`, `x.ge(&y)`

/// Met by nothing: arrays between which is an operator that returns one `bool`.
#[diagnostic::on_unimplemented(
    message = "`==`, `<` and `>` compare two values and return one `bool`; elements of arrays are compared by methods",
    label = "write `x.eq(&y)`, `x.ne(&y)`, `x.lt(0.0)`, `x.le(&y)`, `x.gt(0.0)` or `x.ge(&y)`",
    note = "whether all elements are equal is `x.eq(&y).all()?`"
)]
pub trait ComparedByOperator {}

/// Refuses these arrays on the left of an operator.
macro_rules! refused {
    ($([$($generics:tt)*] $Array:ty: $Item:ty;)*) => {$(
        #[doc(hidden)]
        #[diagnostic::do_not_recommend]
        impl<$($generics)*, U> PartialEq<U> for $Array where Elements<$Item>: ComparedByOperator {
            fn eq(&self, _: &U) -> bool {
                unreachable!()
            }
        }

        #[doc(hidden)]
        #[diagnostic::do_not_recommend]
        impl<$($generics)*, U> PartialOrd<U> for $Array where Elements<$Item>: ComparedByOperator {
            fn partial_cmp(&self, _: &U) -> Option<Ordering> {
                unreachable!()
            }
        }
    )*};
}

refused! {
    [T] DeviceArray<T>: T;
    [T] DeviceView<'_, T>: T;
    [T] DeviceViewMut<'_, T>: T;
    [T] DeviceSlice<'_, T>: T;
    [T] DeviceSliceMut<'_, T>: T;
    [E: Expression] Lazy<E>: E::Item;
}

/// Refuses references to arrays on the left of an operator: std's implementations between references do not know what is on the right.
macro_rules! refused_references {
    ($([$($E:ident)?] $Left:ty, $Right:ty;)*) => {$(
        #[doc(hidden)]
        #[diagnostic::do_not_recommend]
        impl<T: DeviceType, $($E)?> PartialEq<$Right> for $Left where Elements<T>: ComparedByOperator {
            fn eq(&self, _: &$Right) -> bool {
                unreachable!()
            }
        }

        #[doc(hidden)]
        #[diagnostic::do_not_recommend]
        impl<T: DeviceType, $($E)?> PartialOrd<$Right> for $Left where Elements<T>: ComparedByOperator {
            fn partial_cmp(&self, _: &$Right) -> Option<Ordering> {
                unreachable!()
            }
        }
    )*};
}

refused_references! {
    [] &DeviceArray<T>, T;
    [] &mut DeviceArray<T>, T;
    [] &DeviceView<'_, T>, T;
    [E] &DeviceArray<T>, Lazy<E>;
    [E] &mut DeviceArray<T>, Lazy<E>;
}
