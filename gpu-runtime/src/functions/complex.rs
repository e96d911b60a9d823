//! Functions of complex numbers. They are written by hand: the snippet `complex` has their CUDA C.

use std::marker::PhantomData;

use num_complex::Complex;

use super::{
    ArithmeticElement, ComplexElement, ElementaryElement, EqualElement, RightElement, RightOfNumber, SignedElement, VarianceElement,
};
use crate::backend::cpu::{Stop, Thread};
use crate::source::{Segment, Sites, SourceUnit, c_type};
use crate::ufunc::ArrayFunction;

/// A function for each type `R`: its arguments and its result, in Rust and in CUDA C.
macro_rules! function {
    ($Function:ident $name:literal $args:tt = $rust:tt, $c:literal: $(<$R:ty> $Args:tt => $Output:ty;)*) => {
        #[doc = concat!("`", $name, "` for complex numbers, which `R` determines.")]
        pub struct $Function<R>(PhantomData<R>);

        $(function! { @for $Function<$R>, $name, $args: $Args => $Output, $rust, $c })*
    };
    (@for $Function:ident<$R:ty>, $name:literal, ($($arg:ident),*): ($($Arg:ty),*) => $Output:ty, ($rust:expr), $c:literal) => {
        // SAFETY: the CUDA C takes values of these types, returns one of the other, and touches no memory.
        unsafe impl ArrayFunction for $Function<$R> {
            type Args = ($($Arg,)*);
            type Output = $Output;
            const NAME: &'static str = $name;
            const FMAD: bool = true;

            fn source() -> &'static SourceUnit {
                const {
                    &SourceUnit {
                        name: concat!("complex_", $name),
                        prototype: code!(@segments [] ($($arg: $Arg),*) -> $Output),
                        body: code!(@segments [Segment::Text(concat!(" {\n  return ", $c, ";\n}\n"))] ($($arg: $Arg),*) -> $Output),
                        snippets: &["complex"],
                        sites: &Sites::NONE,
                        several_elements: false,
                    }
                }
            }

            #[inline(always)]
            fn call(_: &Thread<'_>, ($($arg,)*): Self::Args) -> Result<$Output, Stop> {
                Ok($rust)
            }
        }
    };
}

/// A function of one complex number: the result is a complex number, or a real one.
macro_rules! of_one {
    ($($Function:ident $name:literal ($z:ident) => $Kind:ident = $rust:tt, $c:literal;)*) => {$(
        function! {
            $Function $name ($z) = $rust, $c:
            <f32> (Complex<f32>) => $Kind<f32>;
            <f64> (Complex<f64>) => $Kind<f64>;
        }
    )*};
}

/// What the results are if they are real.
type Real<R> = R;

of_one! {
    Neg "neg" (z) => Complex = (-z), "gr_wrapping_neg(z)";
    Abs "abs" (z) => Real = (z.norm()), "gr_norm(z)";
    Recip "recip" (z) => Complex = (z.inv()), "gr_inv(z)";
    Sqrt "sqrt" (z) => Complex = (z.sqrt()), "gr_sqrt(z)";
    Exp "exp" (z) => Complex = (z.exp()), "gr_exp(z)";
    Ln "ln" (z) => Complex = (z.ln()), "gr_ln(z)";
    Re "re" (z) => Real = (z.re), "z.re";
    Im "im" (z) => Real = (z.im), "z.im";
    NormSqr "norm_sqr" (z) => Real = (z.norm_sqr()), "gr_norm_sqr(z)";
    Arg "arg" (z) => Real = (z.arg()), "gr_arg(z)";
    Conj "conj" (z) => Complex = (z.conj()), "gr_conj(z)";
}

function! {
    Powi "powi" (z, exponent) = (z.powi(exponent)), "gr_powi(z, exponent)":
    <f32> (Complex<f32>, i32) => Complex<f32>;
    <f64> (Complex<f64>, i32) => Complex<f64>;
}

function! {
    ComplexOf "cast" (x) = (Complex::new(x, 0.0)), "gr_complex_of(x, decltype(x)(0))":
    <f32> (f32) => Complex<f32>;
    <f64> (f64) => Complex<f64>;
}

function! {
    Equal "equal" (a, b) = (a == b), "a.re == b.re && a.im == b.im":
    <f32> (Complex<f32>, Complex<f32>) => bool;
    <f64> (Complex<f64>, Complex<f64>) => bool;
}

function! {
    NotEqual "not_equal" (a, b) = (a != b), "a.re != b.re || a.im != b.im":
    <f32> (Complex<f32>, Complex<f32>) => bool;
    <f64> (Complex<f64>, Complex<f64>) => bool;
}

function! {
    Narrow "cast" (z) = (Complex::new(z.re as f32, z.im as f32)), "gr_complex_of((f32)z.re, (f32)z.im)":
    <f32> (Complex<f64>) => Complex<f32>;
}

function! {
    Widen "cast" (z) = (Complex::new(f64::from(z.re), f64::from(z.im))), "gr_complex_of((f64)z.re, (f64)z.im)":
    <f64> (Complex<f32>) => Complex<f64>;
}

/// An operator of two complex numbers, or of one and a real number.
macro_rules! operator {
    ($($Function:ident $name:literal $op:tt $c:literal;)*) => {$(
        function! {
            $Function $name (a, b) = (a $op b), $c:
            <(Complex<f32>, Complex<f32>)> (Complex<f32>, Complex<f32>) => Complex<f32>;
            <(Complex<f64>, Complex<f64>)> (Complex<f64>, Complex<f64>) => Complex<f64>;
            <(Complex<f32>, f32)> (Complex<f32>, f32) => Complex<f32>;
            <(Complex<f64>, f64)> (Complex<f64>, f64) => Complex<f64>;
            <(f32, Complex<f32>)> (f32, Complex<f32>) => Complex<f32>;
            <(f64, Complex<f64>)> (f64, Complex<f64>) => Complex<f64>;
        }
    )*};
}

operator! {
    Add "add" + "gr_wrapping_add(a, b)";
    Sub "sub" - "gr_wrapping_sub(a, b)";
    Mul "mul" * "gr_wrapping_mul(a, b)";
    Div "div" / "gr_divide(a, b)";
}

/// The operators of a type on the left and one on the right, in a trait for an array or for a number on the left.
macro_rules! arithmetic {
    ($($Trait:ident<$Other:ty> for $Element:ty: $A:ty, $B:ty;)*) => {$(
        impl $Trait<$Other> for $Element {
            type Output = <Mul<($A, $B)> as ArrayFunction>::Output;
            type Add = Add<($A, $B)>;
            type Sub = Sub<($A, $B)>;
            type Mul = Mul<($A, $B)>;
            type Div = Div<($A, $B)>;
        }
    )*};
}

macro_rules! complex_elements {
    ($($R:ty)*) => {$(
        arithmetic! {
            ArithmeticElement<Complex<$R>> for Complex<$R>: Complex<$R>, Complex<$R>;
            ArithmeticElement<$R> for Complex<$R>: Complex<$R>, $R;
            RightOfNumber<Complex<$R>> for Complex<$R>: Complex<$R>, Complex<$R>;
            RightOfNumber<Complex<$R>> for $R: Complex<$R>, $R;
            RightOfNumber<$R> for Complex<$R>: $R, Complex<$R>;
        }

        impl RightElement<Complex<$R>> for Complex<$R> {
            type Item = Self;
        }

        impl RightElement<Complex<$R>> for $R {
            type Item = Self;
        }

        impl EqualElement for Complex<$R> {
            type Equal = Equal<$R>;
            type NotEqual = NotEqual<$R>;
        }

        impl SignedElement for Complex<$R> {
            type Neg = Neg<$R>;
            type Abs = Abs<$R>;
        }

        impl ElementaryElement for Complex<$R> {
            type Recip = Recip<$R>;
            type Sqrt = Sqrt<$R>;
            type Exp = Exp<$R>;
            type Ln = Ln<$R>;
            type Powi = Powi<$R>;
        }

        impl VarianceElement for Complex<$R> {
            type Real = $R;
            type NormSqr = NormSqr<$R>;
        }

        impl ComplexElement for Complex<$R> {
            type Re = Re<$R>;
            type Im = Im<$R>;
            type NormSqr = NormSqr<$R>;
            type Arg = Arg<$R>;
            type Conj = Conj<$R>;
        }
    )*};
}

complex_elements! { f32 f64 }
