//! `==`, `<` and the other comparisons, for operands whose type the macro does not see.

use super::arithmetic::sealed::Sealed;

/// A type whose values can be compared in kernels.
#[diagnostic::on_unimplemented(
    message = "values of `{Self}` cannot be compared in kernels",
    label = "not a number or `bool`",
    note = "compare the fields"
)]
pub trait Compare: Copy + PartialOrd + Sealed {}

macro_rules! comparable {
    ($($scalar:ty)+) => {$(
        impl Compare for $scalar {}
    )+};
}

comparable! { bool i8 i16 i32 i64 isize u8 u16 u32 u64 usize f32 f64 }

/// A type whose values are equal in Rust where they are in C: numbers, `bool`, and field-less enums with
/// `#[derive(PartialEq, DeviceType)]`.
#[diagnostic::on_unimplemented(
    message = "values of `{Self}` cannot be compared in kernels",
    label = "not a number, `bool` or enum without data",
    note = "compare the fields"
)]
pub trait Equate: Copy + PartialEq {}

impl<T: Compare> Equate for T {}

macro_rules! comparisons {
    ($($(#[$doc:meta])* $name:ident: $op:tt $bound:ident;)*) => {
        $(
            $(#[$doc])*
            #[inline]
            pub fn $name<T: $bound>(a: T, b: T) -> bool {
                a $op b
            }
        )*
    };
}

comparisons! {
    /// `a == b`
    eq: == Equate;
    /// `a != b`
    ne: != Equate;
    /// `a < b`
    lt: < Compare;
    /// `a <= b`
    le: <= Compare;
    /// `a > b`
    gt: > Compare;
    /// `a >= b`
    ge: >= Compare;
}
