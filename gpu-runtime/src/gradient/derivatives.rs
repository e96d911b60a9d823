//! The table of functions of numbers with their derivatives: of [dual numbers](super::Dual64), and of the elements of arrays.
//!
//! `relu` has the derivative 0 at 0, as in JAX.

use super::chain::Differentiable;
use super::traced::{IntoTraced, Real, Traced};
use crate::functions;
use crate::ufunc::{Apply, Derivative};

/// For each function: its derivative as a function of the same parameters, or a tuple of as many partial derivatives.
macro_rules! derivatives {
    ($($name:ident($x:ident $(, $y:ident)?) -> $Slope:ty { $($slope:tt)* })*) => {
        #[allow(unreachable_pub, reason = "the types of the functions are those of a trait")]
        pub(super) mod slopes {
            use crate::scalar::Float;
            use crate::vectorize;

            $(
                #[doc(hidden)]
                #[vectorize]
                pub fn $name<T: Float>($x: T $(, $y: T)?) -> $Slope {
                    $($slope)*
                }
            )*

            #[doc(hidden)]
            #[vectorize]
            pub fn powi<T: Float>(x: T, exponent: i32) -> T {
                if exponent == 0 {
                    T::ZERO
                } else if exponent == i32::MIN {
                    T::from_i32(exponent) * (x.powi(exponent) / x)
                } else {
                    T::from_i32(exponent) * x.powi(exponent.wrapping_sub(1))
                }
            }
        }

        $(
            impl<T: Real> Derivative for functions::$name::Function<T> {
                type Gradient = slopes::$name::Function<T>;
                const COMPONENTS: &'static [Option<usize>] = &[Some(0) $(, derivatives!(@second $y))?];
            }
        )*

        impl<T: Real> Derivative for functions::powi::Function<T> {
            type Gradient = slopes::powi::Function<T>;
            const COMPONENTS: &'static [Option<usize>] = &[Some(0), None];
        }
    };
    (@second $y:ident) => { Some(1) };
}

derivatives! {
    abs(x) -> T { if x > T::ZERO { T::ONE } else if x < T::ZERO { -T::ONE } else { x * T::ZERO } }
    square(x) -> T { x + x }
    recip(x) -> T { -(x.recip() * x.recip()) }
    sqrt(x) -> T { T::from_f64(0.5) / x.sqrt() }
    cbrt(x) -> T { T::ONE / (T::from_i32(3) * x.cbrt() * x.cbrt()) }
    exp(x) -> T { x.exp() }
    exp2(x) -> T { x.exp2() * T::from_f64(0.693_147_180_559_945_3) }
    exp_m1(x) -> T { x.exp() }
    ln(x) -> T { if x < T::ZERO { T::NAN } else { T::ONE / x } }
    ln_1p(x) -> T { if x < -T::ONE { T::NAN } else { T::ONE / (T::ONE + x) } }
    log2(x) -> T { if x < T::ZERO { T::NAN } else { T::from_f64(1.442_695_040_888_963_4) / x } }
    log10(x) -> T { if x < T::ZERO { T::NAN } else { T::from_f64(0.434_294_481_903_251_8) / x } }
    sin(x) -> T { x.cos() }
    cos(x) -> T { -x.sin() }
    tan(x) -> T { T::ONE + x.tan() * x.tan() }
    asin(x) -> T { T::ONE / ((T::ONE - x) * (T::ONE + x)).sqrt() }
    acos(x) -> T { -T::ONE / ((T::ONE - x) * (T::ONE + x)).sqrt() }
    atan(x) -> T { T::ONE / (T::ONE + x * x) }
    sinh(x) -> T { x.cosh() }
    cosh(x) -> T { x.sinh() }
    tanh(x) -> T { T::ONE / x.cosh() / x.cosh() }
    asinh(x) -> T { T::ONE / x.hypot(T::ONE) }
    acosh(x) -> T { T::ONE / ((x - T::ONE).sqrt() * (x + T::ONE).sqrt()) }
    atanh(x) -> T { if x.abs() > T::ONE { T::NAN } else { T::ONE / ((T::ONE - x) * (T::ONE + x)) } }
    relu(x) -> T { if x > T::ZERO { T::ONE } else if x.is_nan() { x } else { T::ZERO } }
    sigmoid(x) -> T {
        let power = (-x.abs()).exp();
        power / ((T::ONE + power) * (T::ONE + power))
    }
    silu(x) -> T {
        let power = (-x.abs()).exp();
        T::ONE / (T::ONE + (-x).exp()) + x * (power / ((T::ONE + power) * (T::ONE + power)))
    }
    gelu(x) -> T { x.norm_cdf() + x * (T::from_f64(-0.5) * x * x).exp() * T::from_f64(0.398_942_280_401_432_7) }
    softplus(x) -> T { T::ONE / (T::ONE + (-x).exp()) }
    mul(a, b) -> (T, T) { (b, a) }
    div(a, b) -> (T, T) { (T::ONE / b, -(a / b / b)) }
    powf(x, p) -> (T, T) {
        let by_base = if p == T::ZERO { T::ZERO } else { p * x.powf(p - T::ONE) };
        let by_exponent = if x == T::ZERO && p > T::ZERO { T::ZERO } else { x.powf(p) * x.ln() };
        (by_base, by_exponent)
    }
    hypot(a, b) -> (T, T) { (a / a.hypot(b), b / a.hypot(b)) }
    atan2(y, x) -> (T, T) { (x / x.hypot(y) / x.hypot(y), -(y / x.hypot(y) / x.hypot(y))) }
    min(a, b) -> (T, T) {
        if a < b || b.is_nan() {
            (T::ONE, T::ZERO)
        } else if b < a || a.is_nan() {
            (T::ZERO, T::ONE)
        } else {
            (T::from_f64(0.5), T::from_f64(0.5))
        }
    }
    max(a, b) -> (T, T) {
        if a > b || b.is_nan() {
            (T::ONE, T::ZERO)
        } else if b > a || a.is_nan() {
            (T::ZERO, T::ONE)
        } else {
            (T::from_f64(0.5), T::from_f64(0.5))
        }
    }
}

/// Methods of traced arrays: those of [`Elementwise`](crate::Elementwise) with these names.
macro_rules! methods {
    ($($name:ident)*; $($binary:ident as $function:ident)*) => {
        /// # Functions of each element
        ///
        /// They compute nothing: a chain of them is one kernel, and so is its gradient by each of its arrays.
        impl<'a, T: Real, E: Differentiable<'a, T, Item = T>> Traced<'a, E> {
            $(
                #[doc = concat!("[`", stringify!($name), "`](fn@crate::functions::", stringify!($name), ") of the elements.")]
                pub fn $name(&self) -> Traced<'a, Apply<functions::$name::Function<T>, (E,)>> {
                    Traced::new(Apply::new((self.expression.clone(),)))
                }
            )*
            $(
                #[doc = concat!("[`", stringify!($function), "`](fn@crate::functions::", stringify!($function), ") of the elements and those of `other`, which are broadcast.")]
                pub fn $binary<B: IntoTraced<'a, T>>(
                    &self,
                    other: B,
                ) -> Traced<'a, Apply<functions::$function::Function<T>, (E, B::Expression)>> {
                    Traced::new(Apply::new((self.expression.clone(), other.into_traced())))
                }
            )*

            /// [`powi`](fn@crate::functions::powi) of the elements.
            pub fn powi(&self, exponent: i32) -> Traced<'a, Apply<functions::powi::Function<T>, (E, <i32 as IntoTraced<'a, i32>>::Expression)>> {
                Traced::new(Apply::new((self.expression.clone(), exponent.into_traced())))
            }
        }
    };
}

methods! {
    abs square recip sqrt cbrt exp exp2 exp_m1 ln ln_1p log2 log10 sin cos tan asin acos atan sinh cosh tanh asinh acosh atanh
    relu sigmoid silu gelu softplus;
    powf as powf hypot as hypot atan2 as atan2 min_with as min max_with as max
}
