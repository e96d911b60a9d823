//! `==`, `<` and the other comparisons, for operands whose type the macro does not see, and for values that consist of others.
//!
//! CUDA C compares a struct, an enum, a tuple or an array part by part, as the derived traits do. The twin asks the user's `PartialEq` or
//! `PartialOrd`, and compares part by part too: where the results differ, the trait is written by hand, and the twin says so. An optimizer
//! sees that both are the same for a derived trait.

use std::cmp::Ordering;

use super::arithmetic::sealed::Sealed;
use super::operator::{Equal, Operator, PartialOrder, TotalOrder};
use crate::backend::cpu::{Stop, Thread};

/// A number or `bool`.
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

/// A type with `==` in kernels: numbers, `bool`, arrays, tuples and options of such types, and structs and enums with
/// `#[derive(PartialEq, DeviceType)]`.
#[diagnostic::on_unimplemented(
    message = "values of `{Self}` cannot be compared in kernels",
    label = "`{Self}` has no `==` in kernels",
    note = "a struct or enum needs `#[derive(PartialEq, DeviceType)]`, or `#[gpu_device]` on its `impl PartialEq`"
)]
pub trait Equate: PartialEq {
    /// Whether it consists of parts.
    #[doc(hidden)]
    const HAS_PARTS: bool = false;

    /// Whether all parts are equal.
    #[doc(hidden)]
    fn equal(&self, other: &Self) -> bool {
        self == other
    }
}

impl<T: Compare> Equate for T {}

/// A type with `<` in kernels: numbers, `bool`, arrays, tuples and options of such types, and structs and enums with
/// `#[derive(PartialOrd, DeviceType)]`.
#[diagnostic::on_unimplemented(
    message = "values of `{Self}` have no order in kernels",
    label = "`{Self}` has no `<` in kernels",
    note = "compare the parts of a complex number, `z.re` or `z.norm_sqr()`, and those of a vector, such as `a.x < b.x`",
    note = "a struct or enum of yours needs `#[derive(PartialEq, PartialOrd, DeviceType)]`, or `#[gpu_device]` on its `impl PartialOrd`"
)]
pub trait Order: PartialOrd {
    /// Whether it consists of parts.
    #[doc(hidden)]
    const HAS_PARTS: bool = false;

    /// The order of the first parts that are not equal.
    #[doc(hidden)]
    fn order(&self, other: &Self) -> Option<Ordering> {
        self.partial_cmp(other)
    }
}

impl<T: Compare> Order for T {}

/// The order of two values whose first parts have the order `first`.
#[inline]
#[must_use]
pub fn then_order<T: Order>(first: Option<Ordering>, a: &T, b: &T) -> Option<Ordering> {
    if first == Some(Ordering::Equal) { a.order(b) } else { first }
}

macro_rules! tuples {
    ($(($($T:ident $position:tt),+))+) => {$(
        impl<$($T: Equate),+> Equate for ($($T,)+) {
            const HAS_PARTS: bool = true;
            #[inline]
            fn equal(&self, other: &Self) -> bool {
                true $(&& self.$position.equal(&other.$position))+
            }
        }

        impl<$($T: Order),+> Order for ($($T,)+) {
            const HAS_PARTS: bool = true;
            #[inline]
            fn order(&self, other: &Self) -> Option<Ordering> {
                let order = Some(Ordering::Equal);
                $(let order = then_order(order, &self.$position, &other.$position);)+
                order
            }
        }
    )+};
}

tuples! {
    (A 0)
    (A 0, B 1)
    (A 0, B 1, C 2)
    (A 0, B 1, C 2, D 3)
    (A 0, B 1, C 2, D 3, E 4)
    (A 0, B 1, C 2, D 3, E 4, F 5)
    (A 0, B 1, C 2, D 3, E 4, F 5, G 6)
    (A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7)
}

impl<T: Equate, const N: usize> Equate for [T; N] {
    const HAS_PARTS: bool = true;
    #[inline]
    fn equal(&self, other: &Self) -> bool {
        self.iter().zip(other).all(|(a, b)| a.equal(b))
    }
}

impl<T: Order, const N: usize> Order for [T; N] {
    const HAS_PARTS: bool = true;
    #[inline]
    fn order(&self, other: &Self) -> Option<Ordering> {
        let mut order = Some(Ordering::Equal);
        for (a, b) in self.iter().zip(other) {
            order = then_order(order, a, b);
        }
        order
    }
}

impl<T: Equate> Equate for Option<T> {
    const HAS_PARTS: bool = true;
    #[inline]
    fn equal(&self, other: &Self) -> bool {
        match (self, other) {
            (Some(a), Some(b)) => a.equal(b),
            (a, b) => a.is_none() && b.is_none(),
        }
    }
}

impl<T: Order> Order for Option<T> {
    const HAS_PARTS: bool = true;
    #[inline]
    fn order(&self, other: &Self) -> Option<Ordering> {
        match (self, other) {
            (Some(a), Some(b)) => a.order(b),
            (a, b) => a.is_some().partial_cmp(&b.is_some()),
        }
    }
}

impl<T: Equate, E: Equate> Equate for Result<T, E> {
    const HAS_PARTS: bool = true;
    #[inline]
    fn equal(&self, other: &Self) -> bool {
        match (self, other) {
            (Ok(a), Ok(b)) => a.equal(b),
            (Err(a), Err(b)) => a.equal(b),
            _ => false,
        }
    }
}

impl<T: Order, E: Order> Order for Result<T, E> {
    const HAS_PARTS: bool = true;
    #[inline]
    fn order(&self, other: &Self) -> Option<Ordering> {
        match (self, other) {
            (Ok(a), Ok(b)) => a.order(b),
            (Err(a), Err(b)) => a.order(b),
            (a, b) => a.is_err().partial_cmp(&b.is_err()),
        }
    }
}

impl Equate for () {
    const HAS_PARTS: bool = true;
    #[inline]
    fn equal(&self, (): &()) -> bool {
        true
    }
}

impl Order for () {
    const HAS_PARTS: bool = true;
    #[inline]
    fn order(&self, (): &()) -> Option<Ordering> {
        Some(Ordering::Equal)
    }
}

/// The result of a comparison, which a trait written by hand may give another than its parts.
#[inline(always)]
fn derived<R: PartialEq>(has_parts: bool, own: R, of_parts: impl FnOnce() -> R) -> R {
    assert!(
        !has_parts || own == of_parts(),
        "a comparison in a kernel differs from that of its parts: `PartialEq` or `PartialOrd` of one of the types is written by hand; \
         put `#[gpu_device]` on that `impl`, or compare the fields"
    );
    own
}

macro_rules! comparisons {
    ($($(#[$doc:meta])* $name:ident: $op:tt $bound:ident |$a:ident, $b:ident| $of_parts:expr;)*) => {
        $(
            $(#[$doc])*
            #[inline]
            pub fn $name<T: $bound>($a: T, $b: T) -> bool {
                derived(T::HAS_PARTS, $a $op $b, || $of_parts)
            }
        )*
    };
}

comparisons! {
    /// `a == b`
    eq: == Equate |a, b| a.equal(&b);
    /// `a != b`
    ne: != Equate |a, b| !a.equal(&b);
    /// `a < b`
    lt: < Order |a, b| a.order(&b) == Some(Ordering::Less);
    /// `a <= b`
    le: <= Order |a, b| matches!(a.order(&b), Some(Ordering::Less | Ordering::Equal));
    /// `a > b`
    gt: > Order |a, b| a.order(&b) == Some(Ordering::Greater);
    /// `a >= b`
    ge: >= Order |a, b| matches!(a.order(&b), Some(Ordering::Greater | Ordering::Equal));
}

/// `a.partial_cmp(&b)`
#[inline]
pub fn partial_order<T: Order>(a: T, b: T) -> Option<Ordering> {
    derived(T::HAS_PARTS, a.partial_cmp(&b), || a.order(&b))
}

/// `a.cmp(&b)`
#[inline]
pub fn total_order<T: Order + Ord>(a: T, b: T) -> Ordering {
    derived(T::HAS_PARTS, Some(a.cmp(&b)), || a.order(&b)).unwrap_or(Ordering::Equal)
}

/// The operands of a comparison where they may be of a type with a `#[gpu_device] impl PartialEq`, `PartialOrd` or `Ord`.
pub struct Comparing<'t, 'b, A, B> {
    a: A,
    b: B,
    thread: &'t Thread<'b>,
}

/// Whether they are equal, unless the thread ends.
pub type Equality = Result<bool, Stop>;

/// `a == b`, of which a method follows.
#[inline(always)]
pub fn comparing<'t, 'b, A, B>(thread: &'t Thread<'b>, a: A, b: B) -> Comparing<'t, 'b, A, B> {
    Comparing { a, b, thread }
}

/// The same of two values of one type.
#[inline(always)]
pub fn comparing_alike<'t, 'b, T>(thread: &'t Thread<'b>, a: T, b: T) -> Comparing<'t, 'b, T, T> {
    comparing(thread, a, b)
}

impl<A: Operator<Equal, B, Output = bool>, B> Comparing<'_, '_, A, B> {
    /// What the user's function says.
    #[inline(always)]
    pub fn equal(self) -> Equality {
        self.a.apply(self.b, self.thread, None)
    }

    /// The contrary: such an `impl` has no `ne`.
    #[inline(always)]
    pub fn not_equal(self) -> Equality {
        self.equal().map(|equal| !equal)
    }
}

/// How two values are ordered, unless the thread ends.
pub type PartialOrdering = Result<Option<Ordering>, Stop>;

impl<A: Operator<PartialOrder, B, Output = Option<Ordering>>, B> Comparing<'_, '_, A, B> {
    /// What the user's function says.
    #[inline(always)]
    pub fn partial_order(self) -> PartialOrdering {
        self.a.apply(self.b, self.thread, None)
    }
}

impl<A: Operator<TotalOrder, B, Output = Ordering>, B> Comparing<'_, '_, A, B> {
    /// What the user's function says.
    #[inline(always)]
    pub fn total_order(self) -> Result<Ordering, Stop> {
        self.a.apply(self.b, self.thread, None)
    }
}

macro_rules! orders {
    ($($(#[$doc:meta])* $name:ident: $of_parts:ident |$order:ident| $result:expr;)*) => {
        impl<A: Operator<PartialOrder, B, Output = Option<Ordering>>, B> Comparing<'_, '_, A, B> {
            $(
                $(#[$doc])*
                #[inline(always)]
                pub fn $name(self) -> Equality {
                    self.partial_order().map(|$order| $result)
                }
            )*
        }

        /// What rustc finds for types without such functions.
        pub trait OrderParts<T> {
            /// `a.partial_cmp(&b)`
            fn partial_order(self) -> PartialOrdering
            where
                T: Order;
            /// `a.cmp(&b)`
            fn total_order(self) -> Result<Ordering, Stop>
            where
                T: Order + Ord;
            $(
                $(#[$doc])*
                fn $name(self) -> Equality
                where
                    T: Order;
            )*
        }

        impl<T> OrderParts<T> for Comparing<'_, '_, T, T> {
            #[inline(always)]
            fn partial_order(self) -> PartialOrdering
            where
                T: Order,
            {
                Ok(partial_order(self.a, self.b))
            }
            #[inline(always)]
            fn total_order(self) -> Result<Ordering, Stop>
            where
                T: Order + Ord,
            {
                Ok(total_order(self.a, self.b))
            }
            $(
                #[inline(always)]
                fn $name(self) -> Equality
                where
                    T: Order,
                {
                    Ok($of_parts(self.a, self.b))
                }
            )*
        }
    };
}

orders! {
    /// `a < b`
    less: lt |order| order.is_some_and(Ordering::is_lt);
    /// `a <= b`
    less_equal: le |order| order.is_some_and(Ordering::is_le);
    /// `a > b`
    greater: gt |order| order.is_some_and(Ordering::is_gt);
    /// `a >= b`
    greater_equal: ge |order| order.is_some_and(Ordering::is_ge);
}

/// What rustc finds for types without such a function.
pub trait EqualParts<T> {
    /// `a == b`
    fn equal(self) -> Equality
    where
        T: Equate;
    /// `a != b`
    fn not_equal(self) -> Equality
    where
        T: Equate;
}

impl<T> EqualParts<T> for Comparing<'_, '_, T, T> {
    #[inline(always)]
    fn equal(self) -> Equality
    where
        T: Equate,
    {
        Ok(eq(self.a, self.b))
    }
    #[inline(always)]
    fn not_equal(self) -> Equality
    where
        T: Equate,
    {
        Ok(ne(self.a, self.b))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::backend::cpu::on_host;

    /// Equal where the rounded numbers are.
    #[derive(Clone, Copy)]
    struct Rounded(f32);

    impl PartialEq for Rounded {
        fn eq(&self, other: &Self) -> bool {
            self.0.round() == other.0.round()
        }
    }

    impl Equate for Rounded {
        const HAS_PARTS: bool = true;
        fn equal(&self, other: &Self) -> bool {
            self.0.equal(&other.0)
        }
    }

    #[test]
    fn parts_are_compared_in_order_and_nan_has_none() {
        assert!(lt((1, f32::NAN), (2, 0.0)) && !lt((1, f32::NAN), (1, 0.0)) && !ge((1, f32::NAN), (1, 0.0)));
        assert!(gt([1, 2, 3], [1, 2, 2]) && le(None, Some(-1)) && ne(Some((1, true)), Some((1, false))));
    }

    #[test]
    #[should_panic(expected = "written by hand")]
    fn a_trait_that_is_written_by_hand_is_found_out() {
        eq((Rounded(0.9), 1), (Rounded(1.1), 1));
    }

    /// Unequal to nothing.
    #[derive(Clone, Copy)]
    struct Odd(f32);

    #[allow(clippy::partialeq_ne_impl, reason = "that is what kernels do not know")]
    impl PartialEq for Odd {
        fn eq(&self, other: &Self) -> bool {
            self.0 == other.0
        }
        fn ne(&self, _: &Self) -> bool {
            false
        }
    }

    impl Equate for Odd {
        const HAS_PARTS: bool = true;
        fn equal(&self, other: &Self) -> bool {
            self.0.equal(&other.0)
        }
    }

    #[test]
    #[should_panic(expected = "written by hand")]
    fn an_inequality_that_is_written_by_hand_is_found_out() {
        let _ = on_host(|thread| comparing(thread, Odd(1.0), Odd(2.0)).not_equal());
    }
}
