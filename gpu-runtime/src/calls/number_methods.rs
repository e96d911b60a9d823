//! Methods that numbers have, where the receiver is of a type that only rustc sees: it may be a user's type with a method of that name.
//!
//! Generated code calls `gpu_device_abs` and `gpu_code_abs`, the two hidden functions beside a user's `abs`. For numbers, traits have them.
//! rustc prefers a user's to these: an inherent method precedes that of a trait, and these traits are implemented for numbers alone. The
//! last trait is implemented for every type, and borrows mutably, for which rustc looks last: so its bounds are what rustc reports. The others take the
//! number itself, for which rustc looks first: a trait of the user's that has these names for numbers is then ambiguous.

use std::any::TypeId;

use crate::backend::cpu::{Stop, Thread};
use crate::foreign::Elementary;
use crate::scalar::{Float, Integer, Ordered, Signed};
use crate::source::{AssociatedFunction, Callee, DeviceInstance, Sites, SourceUnit, callee_of};

/// A result, unless the thread ends.
pub type Outcome<T> = Result<T, Stop>;

/// What stands for the CUDA C of a number's method: a helper of the runtime computes it.
#[derive(Debug)]
pub enum OfNumber {}

// SAFETY: `own_callee_of` tells it from a function, so its CUDA C is not used.
unsafe impl DeviceInstance for OfNumber {
    const UNIT: &'static SourceUnit =
        &SourceUnit { name: "", prototype: &[], body: &[], snippets: &[], sites: &Sites::NONE, several_elements: true };
}

// SAFETY: as above.
unsafe impl AssociatedFunction for OfNumber {
    type Output = ();
    type Instance = OfNumber;
}

/// The function that `call` would find, if it is a user's. It is not called.
#[must_use]
pub fn own_callee_of<F: AssociatedFunction>(call: impl FnOnce() -> F) -> Option<Callee> {
    (TypeId::of::<F::Instance>() != TypeId::of::<OfNumber>()).then(|| callee_of(call))
}

/// What a method of this name returns: a value of the receiver's type, `T`, as inference assumes.
#[diagnostic::on_unimplemented(
    message = "this method returns `{Self}`, but a method of this name returns a `{T}` where kernels call it on a `{T}`",
    label = "numbers have a method of this name, which returns a value of their type",
    note = "call a method with another result by its path, `Vector::abs(v)`"
)]
pub trait LikeReceiver<T> {
    #[doc(hidden)]
    fn like_receiver(self) -> T;
}

impl<T> LikeReceiver<T> for T {
    #[inline(always)]
    fn like_receiver(self) -> T {
        self
    }
}

/// `result`, which has the receiver's type.
#[inline(always)]
pub fn like_receiver<T, R: LikeReceiver<T>>(_receiver: &T, result: Outcome<R>) -> Outcome<T> {
    result.map(R::like_receiver)
}

macro_rules! number_methods {
    ($($(#[$doc:meta])* $Trait:ident of $Bound:ident { $($name:ident $device:ident $code:ident($($arg:ident: $ty:ty),*) -> $Output:ty;)* })*) => {
        $(
            $(#[$doc])*
            pub trait $Trait: $Bound + Copy {
                $(
                    #[doc(hidden)]
                    #[inline(always)]
                    fn $device(self, $($arg: $ty,)* _: &Thread<'_>) -> Outcome<$Output> {
                        Ok(<Self as $Bound>::$name(self $(, $arg)*))
                    }
                    #[doc(hidden)]
                    fn $code(self $(, $arg: $ty)*) -> OfNumber {
                        $(let _ = $arg;)*
                        unreachable!("an expression that tells a function is typed, and not evaluated")
                    }
                )*
            }

            impl<T: $Bound + Copy> $Trait for T {}
        )*

        /// Every type, for rustc to say what it lacks.
        pub trait AnyType: Copy {
            $($(
                #[doc(hidden)]
                fn $device(&mut self, $($arg: $ty,)* _: &Thread<'_>) -> Outcome<$Output>
                where
                    Self: $Bound,
                {
                    Ok(<Self as $Bound>::$name(*self $(, $arg)*))
                }
                #[doc(hidden)]
                fn $code(&mut self $(, $arg: $ty)*) -> OfNumber {
                    $(let _ = $arg;)*
                    unreachable!("an expression that tells a function is typed, and not evaluated")
                }
            )*)*
        }

        impl<T: Copy> AnyType for T {}

        /// The traits, to be imported without their names.
        pub mod traits {
            pub use super::AnyType as _;
            $(pub use super::$Trait as _;)*
        }
    };
}

number_methods! {
    /// Floats and complex numbers.
    OfElementary of Elementary {
        exp gpu_device_exp gpu_code_exp() -> Self;
        ln gpu_device_ln gpu_code_ln() -> Self;
        sqrt gpu_device_sqrt gpu_code_sqrt() -> Self;
        powi gpu_device_powi gpu_code_powi(exponent: i32) -> Self;
    }

    /// Floats.
    OfFloat of Float {
        sin gpu_device_sin gpu_code_sin() -> Self;
        cos gpu_device_cos gpu_code_cos() -> Self;
        tan gpu_device_tan gpu_code_tan() -> Self;
        asin gpu_device_asin gpu_code_asin() -> Self;
        acos gpu_device_acos gpu_code_acos() -> Self;
        atan gpu_device_atan gpu_code_atan() -> Self;
        atan2 gpu_device_atan2 gpu_code_atan2(x: Self) -> Self;
        sinh gpu_device_sinh gpu_code_sinh() -> Self;
        cosh gpu_device_cosh gpu_code_cosh() -> Self;
        tanh gpu_device_tanh gpu_code_tanh() -> Self;
        asinh gpu_device_asinh gpu_code_asinh() -> Self;
        acosh gpu_device_acosh gpu_code_acosh() -> Self;
        atanh gpu_device_atanh gpu_code_atanh() -> Self;
        exp2 gpu_device_exp2 gpu_code_exp2() -> Self;
        exp_m1 gpu_device_exp_m1 gpu_code_exp_m1() -> Self;
        ln_1p gpu_device_ln_1p gpu_code_ln_1p() -> Self;
        log2 gpu_device_log2 gpu_code_log2() -> Self;
        log10 gpu_device_log10 gpu_code_log10() -> Self;
        log gpu_device_log gpu_code_log(base: Self) -> Self;
        cbrt gpu_device_cbrt gpu_code_cbrt() -> Self;
        hypot gpu_device_hypot gpu_code_hypot(other: Self) -> Self;
        powf gpu_device_powf gpu_code_powf(exponent: Self) -> Self;
        mul_add gpu_device_mul_add gpu_code_mul_add(factor: Self, summand: Self) -> Self;
        floor gpu_device_floor gpu_code_floor() -> Self;
        ceil gpu_device_ceil gpu_code_ceil() -> Self;
        round gpu_device_round gpu_code_round() -> Self;
        round_ties_even gpu_device_round_ties_even gpu_code_round_ties_even() -> Self;
        trunc gpu_device_trunc gpu_code_trunc() -> Self;
        fract gpu_device_fract gpu_code_fract() -> Self;
        recip gpu_device_recip gpu_code_recip() -> Self;
        to_degrees gpu_device_to_degrees gpu_code_to_degrees() -> Self;
        to_radians gpu_device_to_radians gpu_code_to_radians() -> Self;
        copysign gpu_device_copysign gpu_code_copysign(sign: Self) -> Self;
        next_up gpu_device_next_up gpu_code_next_up() -> Self;
        next_down gpu_device_next_down gpu_code_next_down() -> Self;
        is_nan gpu_device_is_nan gpu_code_is_nan() -> bool;
        is_infinite gpu_device_is_infinite gpu_code_is_infinite() -> bool;
        is_finite gpu_device_is_finite gpu_code_is_finite() -> bool;
        is_sign_negative gpu_device_is_sign_negative gpu_code_is_sign_negative() -> bool;
        is_sign_positive gpu_device_is_sign_positive gpu_code_is_sign_positive() -> bool;
    }

    /// Signed numbers.
    OfSigned of Signed {
        abs gpu_device_abs gpu_code_abs() -> Self;
        signum gpu_device_signum gpu_code_signum() -> Self;
    }

    /// Numbers and vectors.
    OfOrdered of Ordered {
        min gpu_device_min gpu_code_min(other: Self) -> Self;
        max gpu_device_max gpu_code_max(other: Self) -> Self;
    }

    /// Integers.
    OfInteger of Integer {
        pow gpu_device_pow gpu_code_pow(exponent: u32) -> Self;
    }
}
