//! `num_complex::Complex<f32>` and `Complex<f64>`.
//!
//! On the CPU, the crate itself computes. In CUDA C, `complex.cu` has its formulas, so that both round at the same places.

use num_complex::Complex;

use super::Elementary;
use crate::backend::cpu::{SharedElement, Stop, Thread};
use crate::constant::{Constant, ConstantText, literal};
use crate::ops::arithmetic::sealed::Sealed;
use crate::ops::{Arithmetic, ArithmeticWith, Divide, DivideBy, Equate, Negate, Undefined};
use crate::source::{AssociatedFunction, CType, DeviceType, KernelType};

/// The functions of complex numbers that kernels call.
///
/// The type of the parts is a parameter, so that rustc finds it from the parts: `Complex::new(re, im)`.
pub trait ComplexFunctions<R>: Copy + 'static {
    #[doc(hidden)]
    fn gpu_device_norm_sqr(self, thread: &Thread<'_>) -> Result<R, Stop>;
    #[doc(hidden)]
    fn gpu_code_norm_sqr(self) -> impl AssociatedFunction<Output = R>;
    #[doc(hidden)]
    fn gpu_device_norm(self, thread: &Thread<'_>) -> Result<R, Stop>;
    #[doc(hidden)]
    fn gpu_code_norm(self) -> impl AssociatedFunction<Output = R>;
    #[doc(hidden)]
    fn gpu_device_arg(self, thread: &Thread<'_>) -> Result<R, Stop>;
    #[doc(hidden)]
    fn gpu_code_arg(self) -> impl AssociatedFunction<Output = R>;
    #[doc(hidden)]
    fn gpu_device_conj(self, thread: &Thread<'_>) -> Result<Self, Stop>;
    #[doc(hidden)]
    fn gpu_code_conj(self) -> impl AssociatedFunction<Output = Self>;
    #[doc(hidden)]
    fn gpu_device_inv(self, thread: &Thread<'_>) -> Result<Self, Stop>;
    #[doc(hidden)]
    fn gpu_code_inv(self) -> impl AssociatedFunction<Output = Self>;
    #[doc(hidden)]
    fn gpu_device_scale(self, by: R, thread: &Thread<'_>) -> Result<Self, Stop>;
    #[doc(hidden)]
    fn gpu_code_scale(self, by: R) -> impl AssociatedFunction<Output = Self>;
    #[doc(hidden)]
    fn gpu_device_unscale(self, by: R, thread: &Thread<'_>) -> Result<Self, Stop>;
    #[doc(hidden)]
    fn gpu_code_unscale(self, by: R) -> impl AssociatedFunction<Output = Self>;
    #[doc(hidden)]
    fn gpu_device_new(re: R, im: R, thread: &Thread<'_>) -> Result<Self, Stop>;
    #[doc(hidden)]
    fn gpu_code_new(re: R, im: R) -> impl AssociatedFunction<Output = Self>;
    #[doc(hidden)]
    fn gpu_device_from_polar(norm: R, angle: R, thread: &Thread<'_>) -> Result<Self, Stop>;
    #[doc(hidden)]
    fn gpu_code_from_polar(norm: R, angle: R) -> impl AssociatedFunction<Output = Self>;
    #[doc(hidden)]
    fn gpu_device_cis(angle: R, thread: &Thread<'_>) -> Result<Self, Stop>;
    #[doc(hidden)]
    fn gpu_code_cis(angle: R) -> impl AssociatedFunction<Output = Self>;
}

macro_rules! arithmetic {
    ($A:ty, $B:ty => $C:ty) => {
        // SAFETY: the snippet for these types has the functions.
        unsafe impl ArithmeticWith<$B> for $A {
            type Output = $C;
            #[inline(always)]
            fn add(self, other: $B) -> $C {
                self + other
            }
            #[inline(always)]
            fn sub(self, other: $B) -> $C {
                self - other
            }
            #[inline(always)]
            fn mul(self, other: $B) -> $C {
                self * other
            }
        }

        // SAFETY: the snippet for these types has the functions.
        unsafe impl DivideBy<$B> for $A {
            type Output = $C;
            #[inline(always)]
            fn div(self, divisor: $B) -> Result<$C, Undefined> {
                Ok(self / divisor)
            }
        }
    };
}

macro_rules! complex {
    ($R:ty, $c_type:literal) => {
        // SAFETY: both are two values of the same type, one after the other, and 0 is made of zeros.
        unsafe impl DeviceType for Complex<$R> {
            const ANY_BITS: bool = true;
            const MAY_HAVE_PADDING: bool = false;
        }

        // SAFETY: a type of the snippet.
        unsafe impl KernelType for Complex<$R> {
            fn c_type() -> CType {
                const {
                    assert!(size_of::<Self>() == 2 * size_of::<$R>() && align_of::<Self>() == align_of::<$R>());
                    assert!(std::mem::offset_of!(Self, re) == 0 && std::mem::offset_of!(Self, im) == size_of::<$R>());
                }
                CType::Library { name: $c_type, snippet: "complex" }
            }
        }

        // SAFETY: any bytes are a value. These are `NaN`.
        unsafe impl SharedElement for Complex<$R> {
            const POISON: u8 = 0xff;
        }

        // SAFETY: it consists of the literals of two numbers.
        unsafe impl Constant for Complex<$R> {
            fn write(self, out: &mut ConstantText) {
                out.ty::<Self>();
                // SAFETY: two literals.
                unsafe { out.text(&format!("{{{}, {}}}", literal(self.re), literal(self.im))) };
            }
        }

        impl Sealed for Complex<$R> {}

        impl Equate for Complex<$R> {}

        impl Arithmetic for Complex<$R> {
            #[inline(always)]
            fn add(self, other: Self) -> Self {
                self + other
            }
            #[inline(always)]
            fn sub(self, other: Self) -> Self {
                self - other
            }
            #[inline(always)]
            fn mul(self, other: Self) -> Self {
                self * other
            }
        }

        impl Negate for Complex<$R> {
            #[inline(always)]
            fn neg(self) -> Self {
                -self
            }
        }

        impl Divide for Complex<$R> {
            #[inline(always)]
            fn div(self, divisor: Self) -> Result<Self, Undefined> {
                Ok(self / divisor)
            }
        }

        arithmetic!(Complex<$R>, $R => Complex<$R>);
        arithmetic!($R, Complex<$R> => Complex<$R>);

        impl Elementary for Complex<$R> {
            #[inline(always)]
            fn exp(self) -> Self {
                Complex::exp(self)
            }
            #[inline(always)]
            fn ln(self) -> Self {
                Complex::ln(self)
            }
            #[inline(always)]
            fn sqrt(self) -> Self {
                Complex::sqrt(self)
            }
            #[inline(always)]
            fn powi(self, exponent: i32) -> Self {
                Complex::powi(&self, exponent)
            }
        }

        impl ComplexFunctions<$R> for Complex<$R> {
            #[inline(always)]
            fn gpu_device_norm_sqr(self, _: &Thread<'_>) -> Result<$R, Stop> {
                Ok(self.norm_sqr())
            }
            fn gpu_code_norm_sqr(self) -> impl AssociatedFunction<Output = $R> {
                code!("Complex_norm_sqr" in "complex", (z: Complex<$R>) -> $R, "gr_norm_sqr(z)")
            }

            #[inline(always)]
            fn gpu_device_norm(self, _: &Thread<'_>) -> Result<$R, Stop> {
                Ok(self.norm())
            }
            fn gpu_code_norm(self) -> impl AssociatedFunction<Output = $R> {
                code!("Complex_norm" in "complex", (z: Complex<$R>) -> $R, "gr_norm(z)")
            }

            #[inline(always)]
            fn gpu_device_arg(self, _: &Thread<'_>) -> Result<$R, Stop> {
                Ok(self.arg())
            }
            fn gpu_code_arg(self) -> impl AssociatedFunction<Output = $R> {
                code!("Complex_arg" in "complex", (z: Complex<$R>) -> $R, "gr_arg(z)")
            }

            #[inline(always)]
            fn gpu_device_conj(self, _: &Thread<'_>) -> Result<Complex<$R>, Stop> {
                Ok(self.conj())
            }
            fn gpu_code_conj(self) -> impl AssociatedFunction<Output = Complex<$R>> {
                code!("Complex_conj" in "complex", (z: Complex<$R>) -> Complex<$R>, "gr_conj(z)")
            }

            #[inline(always)]
            fn gpu_device_inv(self, _: &Thread<'_>) -> Result<Complex<$R>, Stop> {
                Ok(self.inv())
            }
            fn gpu_code_inv(self) -> impl AssociatedFunction<Output = Complex<$R>> {
                code!("Complex_inv" in "complex", (z: Complex<$R>) -> Complex<$R>, "gr_inv(z)")
            }

            #[inline(always)]
            fn gpu_device_scale(self, by: $R, _: &Thread<'_>) -> Result<Complex<$R>, Stop> {
                Ok(self.scale(by))
            }
            fn gpu_code_scale(self, _: $R) -> impl AssociatedFunction<Output = Complex<$R>> {
                code!("Complex_scale" in "complex", (z: Complex<$R>, by: $R) -> Complex<$R>, "gr_wrapping_mul(z, by)")
            }

            #[inline(always)]
            fn gpu_device_unscale(self, by: $R, _: &Thread<'_>) -> Result<Complex<$R>, Stop> {
                Ok(self.unscale(by))
            }
            fn gpu_code_unscale(self, _: $R) -> impl AssociatedFunction<Output = Complex<$R>> {
                code!("Complex_unscale" in "complex", (z: Complex<$R>, by: $R) -> Complex<$R>, "gr_divide(z, by)")
            }

            #[inline(always)]
            fn gpu_device_new(re: $R, im: $R, _: &Thread<'_>) -> Result<Complex<$R>, Stop> {
                Ok(Complex::new(re, im))
            }
            fn gpu_code_new(_: $R, _: $R) -> impl AssociatedFunction<Output = Complex<$R>> {
                code!("Complex_new" in "complex", (re: $R, im: $R) -> Complex<$R>, "gr_complex_of(re, im)")
            }

            #[inline(always)]
            fn gpu_device_from_polar(norm: $R, angle: $R, _: &Thread<'_>) -> Result<Complex<$R>, Stop> {
                Ok(Complex::from_polar(norm, angle))
            }
            fn gpu_code_from_polar(_: $R, _: $R) -> impl AssociatedFunction<Output = Complex<$R>> {
                code!("Complex_from_polar" in "complex", (norm: $R, angle: $R) -> Complex<$R>, "gr_from_polar(norm, angle)")
            }

            #[inline(always)]
            fn gpu_device_cis(angle: $R, _: &Thread<'_>) -> Result<Complex<$R>, Stop> {
                Ok(Complex::cis(angle))
            }
            fn gpu_code_cis(_: $R) -> impl AssociatedFunction<Output = Complex<$R>> {
                code!("Complex_cis" in "complex", (angle: $R) -> Complex<$R>, "gr_complex_of(gr_cos(angle), gr_sin(angle))")
            }
        }
    };
}

complex!(f32, "gr_complex<f32>");
complex!(f64, "gr_complex<f64>");
