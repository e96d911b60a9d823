//! Bitwise logic and the selection between two elements, written by hand.
//!
//! These functions also support `bool`. The bounds of `#[vectorize]` describe numbers only, so this file contains what it would expand to,
//! without the part for kernels, which have operators and `if`.

use crate::ops::{self, Bits};
use crate::source::Element;

macro_rules! functions {
    ($(
        $(#[$doc:meta])*
        fn $name:ident<T: $($bound:ident)|+>($($arg:ident: $type:ty as $A:ident),+) -> T { $rust:expr }
        in C $c_name:literal { $c:literal }
    )*) => {$(
        $(#[$doc])*
        #[must_use]
        #[inline(always)]
        pub fn $name<T: $($bound +)+>($($arg: $type),+) -> T {
            $rust
        }

        #[doc = concat!("The function `", stringify!($name), "` of arrays.")]
        pub mod $name {
            use std::marker::PhantomData;

            use super::*;
            use crate::backend::cpu::{Stop, Thread};
            use crate::source::{Segment, Sites, SourceUnit, c_type};
            use crate::ufunc::{Apply, ArrayFunction, IntoLazy, Lazy};

            #[doc = concat!("The function `", stringify!($name), "` as a type.")]
            pub struct Function<T>(PhantomData<T>);

            // SAFETY: the CUDA C takes values of those types, returns a `T`, and touches no memory.
            unsafe impl<T: $($bound +)+> ArrayFunction for Function<T> {
                type Args = ($($type,)+);
                type Output = T;
                const NAME: &'static str = stringify!($name);
                const FMAD: bool = true;

                fn source() -> &'static SourceUnit {
                    const {
                        &SourceUnit {
                            name: $c_name,
                            prototype: functions! { @header [$($arg: $type),+] ")" },
                            body: functions! { @header [$($arg: $type),+] concat!(") {\n  return ", $c, ";\n}\n") },
                            snippets: &["ops"],
                            sites: &Sites::NONE,
                            several_elements: false,
                        }
                    }
                }

                #[inline(always)]
                fn call(_: &Thread<'_>, ($($arg,)+): Self::Args) -> Result<T, Stop> {
                    Ok($rust)
                }
            }

            #[doc = concat!("`", stringify!($name), "` of the elements of arrays, as a lazy array: it is computed when it is collected or reduced.")]
            ///
            /// An argument is a device array, a host slice, a number or another lazy array. Their shapes are broadcast.
            pub fn map<T: $($bound +)+ $(, $A: IntoLazy<$type>)+>($($arg: $A),+) -> Lazy<Apply<Function<T>, ($($A::Expression,)+)>> {
                Lazy::new(Apply::new(($($arg.into_lazy().into_inner(),)+)))
            }
        }
    )*};
    (@header [$first:ident: $First:ty $(, $arg:ident: $type:ty)*] $end:expr) => {
        &[
            Segment::Text("static __device__ "),
            Segment::Type(c_type::<T>),
            Segment::Text(" "),
            Segment::OwnName,
            Segment::Text("("),
            Segment::Type(c_type::<$First>),
            Segment::Text(concat!(" ", stringify!($first))),
            $(
                Segment::Text(", "),
                Segment::Type(c_type::<$type>),
                Segment::Text(concat!(" ", stringify!($arg))),
            )*
            Segment::Text($end),
        ]
    };
}

// The C++ compiler reads `and`, `or`, `xor` and `not` as operators.
functions! {
    /// The bitwise and of two integers; the logical and of two `bool`s.
    fn and<T: Element | Bits>(a: T as A, b: T as B) -> T { ops::bitand(a, b) }
    in C "bit_and" { "gr_bit_and(a, b)" }

    /// The bitwise or of two integers; the logical or of two `bool`s.
    fn or<T: Element | Bits>(a: T as A, b: T as B) -> T { ops::bitor(a, b) }
    in C "bit_or" { "gr_bit_or(a, b)" }

    /// The bitwise exclusive or of two integers; whether two `bool`s differ.
    fn xor<T: Element | Bits>(a: T as A, b: T as B) -> T { ops::bitxor(a, b) }
    in C "bit_xor" { "gr_bit_xor(a, b)" }

    /// The bitwise complement of an integer; the negation of a `bool`.
    fn not<T: Element | Bits>(x: T as A) -> T { ops::not(x) }
    in C "bit_not" { "gr_not(x)" }

    /// The element of `if_true` where the condition holds, and the element of `if_false` otherwise. Both are computed.
    fn select<T: Element>(condition: bool as A, if_true: T as B, if_false: T as C) -> T {
        if condition { if_true } else { if_false }
    }
    in C "select" { "condition ? if_true : if_false" }
}
