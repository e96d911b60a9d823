//! The functions behind the ready-made reductions, in CUDA C and in Rust, each generic over its element type.

use std::marker::PhantomData;

use super::summands::{Accumulator, Flag, Number};
use crate::backend::cpu::{Stop, Thread};
use crate::source::{Segment, Sites, SourceUnit};
use crate::ufunc::{ArrayFunction, ReduceFunction};

/// Array functions: the name for messages, the parameters, and the result in Rust and in CUDA C, where the result type and
/// the types of the parameters are those of a template over `T`.
macro_rules! array_functions {
    ($(
        $(#[$doc:meta])*
        $Name:ident<$T:ident: $Bound:ident> = $name:literal($($arg:ident: $Arg:ty),*) -> $Output:ty $rust:block
        $c_output:literal $c_parameters:literal $c:literal;
    )*) => {
        $(
            $(#[$doc])*
            pub(crate) struct $Name<$T>(PhantomData<$T>);

            // SAFETY: the template's parameters and result have the C types of `Args` and `Output`, and it uses nothing else.
            unsafe impl<$T: $Bound> ArrayFunction for $Name<$T> {
                type Args = ($($Arg,)*);
                type Output = $Output;
                const NAME: &'static str = $name;
                const FMAD: bool = true;

                fn source() -> &'static SourceUnit {
                    const HEAD: &str = concat!("template <class T> static __device__ __forceinline__ ", $c_output, " ");
                    // `min` and others are CUDA's already.
                    static UNIT: SourceUnit = SourceUnit {
                        name: concat!("gr_function_", $name),
                        prototype: &[Segment::Text(HEAD), Segment::OwnName, Segment::Text(concat!("(", $c_parameters, ")"))],
                        body: &[
                            Segment::Text(HEAD),
                            Segment::OwnName,
                            Segment::Text(concat!("(", $c_parameters, ") {\n  ", $c, "\n}\n")),
                        ],
                        snippets: &["ops", "tuple"],
                        sites: &Sites::NONE,
                        several_elements: false,
                    };
                    &UNIT
                }

                #[inline(always)]
                fn call(_: &Thread<'_>, ($($arg,)*): Self::Args) -> Result<Self::Output, Stop> {
                    Ok($rust)
                }
            }
        )*
    };
}

/// What folds items of one component, or of two: the identity.
macro_rules! reductions {
    ($($Name:ident<$T:ident: $Bound:ident>($item:ident -> $args:expr) = $identity:expr;)*) => {
        $(
            impl<$T: $Bound> ReduceFunction for $Name<$T> {
                fn identity() -> Option<Self::Output> {
                    $identity
                }

                #[inline(always)]
                fn combine(thread: &Thread<'_>, a: Self::Output, b: Self::Output) -> Result<Self::Output, Stop> {
                    let $item = (a, b);
                    Self::call(thread, $args)
                }
            }
        )*
    };
}

// The conditions in Rust are without branches, so that loops over them can become vector instructions.
array_functions! {
    /// `a + b`.
    Sum<T: Accumulator> = "sum"(a: T, b: T) -> T { a.plus(b) }
        "T" "T a, T b" "return gr_wrapping_add(a, b);";
    /// `a * b`, as a reduction.
    Prod<T: Accumulator> = "prod"(a: T, b: T) -> T { a.times(b) }
        "T" "T a, T b" "return gr_wrapping_mul(a, b);";
    /// The lower one, or NaN.
    Min<T: Number> = "min"(a: T, b: T) -> T { if (b < a) | b.is_not_a_number() { b } else { a } }
        "T" "T a, T b" "return b < a || b != b ? b : a;";
    /// The higher one, or NaN.
    Max<T: Number> = "max"(a: T, b: T) -> T { if (b > a) | b.is_not_a_number() { b } else { a } }
        "T" "T a, T b" "return b > a || b != b ? b : a;";
    /// The lower one with its index: NaN before any number, and of equal ones the first.
    ArgMin<T: Number> = "argmin"(a: T, i: usize, b: T, j: usize) -> (T, usize) {
        let (a_is_nan, b_is_nan) = (a.is_not_a_number(), b.is_not_a_number());
        let second = ((b < a) | b_is_nan) & !a_is_nan;
        let equal = (b == a) | (a_is_nan & b_is_nan);
        if second | (equal & (j < i)) { (b, j) } else { (a, i) }
    }
        "gr_tuple2<T, usize>" "T a, usize i, T b, usize j"
        "const bool second = a == a && (b < a || b != b), equal = a == a ? b == a : b != b;\n  \
         if (second || (equal && j < i)) return {b, j};\n  return {a, i};";
    /// The higher one with its index: NaN before any number, and of equal ones the first.
    ArgMax<T: Number> = "argmax"(a: T, i: usize, b: T, j: usize) -> (T, usize) {
        let (a_is_nan, b_is_nan) = (a.is_not_a_number(), b.is_not_a_number());
        let second = ((b > a) | b_is_nan) & !a_is_nan;
        let equal = (b == a) | (a_is_nan & b_is_nan);
        if second | (equal & (j < i)) { (b, j) } else { (a, i) }
    }
        "gr_tuple2<T, usize>" "T a, usize i, T b, usize j"
        "const bool second = a == a && (b > a || b != b), equal = a == a ? b == a : b != b;\n  \
         if (second || (equal && j < i)) return {b, j};\n  return {a, i};";
    /// Whether one is true.
    Any<T: Flag> = "any"(a: T, b: T) -> T { T::from(a.into() | b.into()) }
        "T" "T a, T b" "return a || b;";
    /// Whether both are true.
    All<T: Flag> = "all"(a: T, b: T) -> T { T::from(a.into() & b.into()) }
        "T" "T a, T b" "return a && b;";

    /// A number and its index.
    Indexed<T: Number> = "indexed"(a: T, i: usize) -> (T, usize) { (a, i) }
        "gr_tuple2<T, usize>" "T a, usize i" "return {a, i};";
    /// `a * b`.
    Multiply<T: Accumulator> = "multiply"(a: T, b: T) -> T { a.times(b) }
        "T" "T a, T b" "return gr_wrapping_mul(a, b);";
    /// An element as means of such have it.
    ToMean<T: Accumulator> = "mean"(a: T) -> T::Mean { a.to_mean() }
        "auto" "T a" "if constexpr (gr_wide<T>::is_float) return a;\n  else return (f64)a;";
    /// 1 for true.
    ToCount<T: Flag> = "count"(a: T) -> usize { usize::from(a.into()) }
        "usize" "T a" "return a ? 1 : 0;";
}

reductions! {
    Sum<T: Accumulator>(items -> items) = Some(T::ZERO);
    Prod<T: Accumulator>(items -> items) = Some(T::ONE);
    Min<T: Number>(items -> items) = None;
    Max<T: Number>(items -> items) = None;
    ArgMin<T: Number>(items -> (items.0.0, items.0.1, items.1.0, items.1.1)) = None;
    ArgMax<T: Number>(items -> (items.0.0, items.0.1, items.1.0, items.1.1)) = None;
    Any<T: Flag>(items -> items) = Some(T::from(false));
    All<T: Flag>(items -> items) = Some(T::from(true));
}
