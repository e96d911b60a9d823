//! Functions of complex numbers, and the traits that find them, or those of real numbers, from the type of an element. They are written by
//! hand: parameters of `#[vectorize]` are Rust's own numbers.

use super::abs;
use crate::scalar::Signed;
use crate::source::Element;
use crate::ufunc::ArrayFunction;

/// A number with an absolute value: signed numbers, and with the feature `complex`, complex numbers.
#[diagnostic::on_unimplemented(message = "`{Self}` has no absolute value", label = "not a signed number or a complex number")]
pub trait Magnitude: Element {
    /// The function that computes it.
    #[doc(hidden)]
    type Abs: ArrayFunction<Args = (Self,), Output: Element>;
}

impl<T: Signed> Magnitude for T {
    type Abs = abs::Function<T>;
}

/// A complex number, with the feature `complex`.
#[diagnostic::on_unimplemented(message = "`{Self}` is not a complex number", label = "not `Complex<f32>` or `Complex<f64>`")]
pub trait ComplexNumber: Element {
    /// The functions of the methods.
    #[doc(hidden)]
    type Arg: ArrayFunction<Args = (Self,), Output: Element>;
    #[doc(hidden)]
    type Conj: ArrayFunction<Args = (Self,), Output = Self>;
}

#[cfg(feature = "complex")]
pub(crate) use functions::ComplexOf;

#[cfg(feature = "complex")]
mod functions {
    use std::marker::PhantomData;

    use num_complex::Complex;

    use super::{ArrayFunction, ComplexNumber, Magnitude};
    use crate::backend::cpu::{Stop, Thread};
    use crate::source::{Segment, Sites, SourceUnit, c_type};

    /// A function for each type of parts `R`: its argument and its result, in Rust and in CUDA C.
    macro_rules! function {
        ($Function:ident $name:literal: $($R:ty: $Arg:ty => $Output:ty;)* |$z:ident| $rust:expr, $c:literal) => {
            #[doc = concat!("`", $name, "` for complex numbers with parts of the type `R`.")]
            pub struct $Function<R>(PhantomData<R>);

            $(
                // SAFETY: the CUDA C takes a value of that type, returns one of the other, and touches no memory.
                unsafe impl ArrayFunction for $Function<$R> {
                    type Args = ($Arg,);
                    type Output = $Output;
                    const NAME: &'static str = $name;
                    const FMAD: bool = true;

                    fn source() -> &'static SourceUnit {
                        const {
                            &SourceUnit {
                                name: concat!("complex_", $name),
                                prototype: function! { @header $Arg, $Output, ")" },
                                body: function! { @header $Arg, $Output, concat!(") {\n  return ", $c, ";\n}\n") },
                                snippets: &["complex"],
                                sites: &Sites::NONE,
                                several_elements: false,
                            }
                        }
                    }

                    #[inline(always)]
                    fn call(_: &Thread<'_>, ($z,): Self::Args) -> Result<$Output, Stop> {
                        Ok($rust)
                    }
                }
            )*
        };
        (@header $Arg:ty, $Output:ty, $end:expr) => {
            &[
                Segment::Text("static __device__ __forceinline__ "),
                Segment::Type(c_type::<$Output>),
                Segment::Text(" "),
                Segment::OwnName,
                Segment::Text("("),
                Segment::Type(c_type::<$Arg>),
                Segment::Text(" z"),
                Segment::Text($end),
            ]
        };
    }

    function! { Abs "abs": f32: Complex<f32> => f32; f64: Complex<f64> => f64; |z| z.norm(), "gr_norm(z)" }
    function! { Arg "arg": f32: Complex<f32> => f32; f64: Complex<f64> => f64; |z| z.arg(), "gr_arg(z)" }
    function! { Conj "conj": f32: Complex<f32> => Complex<f32>; f64: Complex<f64> => Complex<f64>; |z| z.conj(), "gr_conj(z)" }
    function! {
        ComplexOf "cast": f32: f32 => Complex<f32>; f64: f64 => Complex<f64>;
        |z| Complex::new(z, 0.0), "gr_complex_of(z, decltype(z)(0))"
    }

    macro_rules! complex_number {
        ($($R:ty)*) => {$(
            impl Magnitude for Complex<$R> {
                type Abs = Abs<$R>;
            }

            impl ComplexNumber for Complex<$R> {
                type Arg = Arg<$R>;
                type Conj = Conj<$R>;
            }
        )*};
    }

    complex_number! { f32 f64 }
}
