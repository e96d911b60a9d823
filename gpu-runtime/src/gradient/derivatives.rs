//! The table of functions of numbers with their derivatives: of [dual numbers](super::Dual64), and of the elements of arrays.
//!
//! `relu` has the derivative 0 at 0, as in JAX.

use super::chain::Differentiable;
use super::curvatures;
use super::traced::{IntoTraced, Real, Traced};
use crate::functions;
use crate::ufunc::{Apply, Derivative};

/// For each function: its derivative as a function of the same parameters, or a tuple of the partial derivatives by those of type `T`. Those
/// before the `;` are functions of dual numbers too: a second derivative is the derivative of one of them.
macro_rules! derivatives {
    ($($name:ident($x:ident $(, $y:ident: $Y:ident)?) -> $Slope:ty { $($slope:tt)* })*; $($of_array:ident($z:ident $(, $w:ident: $W:ident)?) -> $SlopeOfArray:ty { $($of_element:tt)* })*) => {
        #[allow(unreachable_pub, reason = "the types of the functions are those of a trait")]
        pub(super) mod slopes {
            use crate::scalar::Float;
            use crate::vectorize;

            $(
                #[doc(hidden)]
                #[vectorize]
                pub fn $name<T: Float>($x: T $(, $y: $Y)?) -> $Slope {
                    $($slope)*
                }
            )*

            $(
                #[doc(hidden)]
                #[vectorize]
                pub fn $of_array<T: Float>($z: T $(, $w: $W)?) -> $SlopeOfArray {
                    $($of_element)*
                }
            )*
        }

        slopes_of_duals! { slopes64 Dual64 $($name($x $(, $y: $Y)?) -> $Slope { $($slope)* })* }
        slopes_of_duals! { slopes32 Dual32 $($name($x $(, $y: $Y)?) -> $Slope { $($slope)* })* }

        $(
            impl<T: Real> Derivative for functions::$name::Function<T> {
                type Gradient = slopes::$name::Function<T>;
                const COMPONENTS: &'static [Option<usize>] = &[Some(0) $(, derivatives!(@component $Y))?];
                type Hessian = curvatures::$name::Function<T>;

                fn is_curved(component: usize) -> Option<bool> {
                    Some(curvatures::is_curved(stringify!($name), component))
                }
            }
        )*

        $(
            impl<T: Real> Derivative for functions::$of_array::Function<T> {
                type Gradient = slopes::$of_array::Function<T>;
                const COMPONENTS: &'static [Option<usize>] = &[Some(0) $(, derivatives!(@component $W))?];
                type Hessian = curvatures::$of_array::Function<T>;

                fn is_curved(component: usize) -> Option<bool> {
                    Some(curvatures::is_curved(stringify!($of_array), component))
                }
            }
        )*
    };
    (@component T) => { Some(1) };
    (@component i32) => { None };
}

/// The derivatives as functions of dual numbers, whose type is named `T` as in the table.
macro_rules! slopes_of_duals {
    ($module:ident $Dual:ident $($name:ident($x:ident $(, $y:ident: $Y:ident)?) -> $Slope:ty { $($slope:tt)* })*) => {
        pub(super) mod $module {
            use crate::gpu_device;
            use crate::gradient::$Dual as T;

            $(
                #[gpu_device]
                #[allow(unreachable_pub, reason = "the attribute exports what it makes")]
                pub fn $name($x: T $(, $y: $Y)?) -> $Slope {
                    $($slope)*
                }
            )*
        }
    };
}

derivatives! {
    abs(x) -> T { if x > T::from_f64(0.0) { T::from_f64(1.0) } else if x < T::from_f64(0.0) { -T::from_f64(1.0) } else { x * T::from_f64(0.0) } }
    powi(x, exponent: i32) -> T {
        if exponent == 0 {
            T::from_i32(0)
        } else if exponent == i32::MIN {
            T::from_i32(exponent) * (x.powi(exponent) / x)
        } else {
            T::from_i32(exponent) * x.powi(exponent.wrapping_sub(1))
        }
    }
    recip(x) -> T { -(x.recip() * x.recip()) }
    sqrt(x) -> T { T::from_f64(0.5) / x.sqrt() }
    cbrt(x) -> T { T::from_f64(1.0) / (T::from_i32(3) * x.cbrt() * x.cbrt()) }
    exp(x) -> T { x.exp() }
    exp2(x) -> T { x.exp2() * T::from_f64(0.693_147_180_559_945_3) }
    exp_m1(x) -> T { x.exp() }
    ln(x) -> T { if x < T::from_f64(0.0) { T::from_f64(f64::NAN) } else { T::from_f64(1.0) / x } }
    ln_1p(x) -> T { if x < -T::from_f64(1.0) { T::from_f64(f64::NAN) } else { T::from_f64(1.0) / (T::from_f64(1.0) + x) } }
    log2(x) -> T { if x < T::from_f64(0.0) { T::from_f64(f64::NAN) } else { T::from_f64(1.442_695_040_888_963_4) / x } }
    log10(x) -> T { if x < T::from_f64(0.0) { T::from_f64(f64::NAN) } else { T::from_f64(0.434_294_481_903_251_8) / x } }
    sin(x) -> T { x.cos() }
    cos(x) -> T { -x.sin() }
    tan(x) -> T { T::from_f64(1.0) + x.tan() * x.tan() }
    asin(x) -> T {
        let square: T = (T::from_f64(1.0) - x) * (T::from_f64(1.0) + x);
        T::from_f64(1.0) / square.sqrt()
    }
    acos(x) -> T {
        let square: T = (T::from_f64(1.0) - x) * (T::from_f64(1.0) + x);
        T::from_f64(-1.0) / square.sqrt()
    }
    atan(x) -> T { T::from_f64(1.0) / (T::from_f64(1.0) + x * x) }
    sinh(x) -> T { x.cosh() }
    cosh(x) -> T { x.sinh() }
    tanh(x) -> T {
        // 1 / cosh²(x), without a number that is infinite.
        let power: T = (-(x.abs() + x.abs())).exp();
        T::from_i32(4) * power / ((T::from_i32(1) + power) * (T::from_i32(1) + power))
    }
    asinh(x) -> T { T::from_f64(1.0) / x.hypot(T::from_f64(1.0)) }
    acosh(x) -> T { T::from_f64(1.0) / ((x - T::from_f64(1.0)).sqrt() * (x + T::from_f64(1.0)).sqrt()) }
    atanh(x) -> T { if x.abs() > T::from_f64(1.0) { T::from_f64(f64::NAN) } else { T::from_f64(1.0) / ((T::from_f64(1.0) - x) * (T::from_f64(1.0) + x)) } }
    mul(a, b: T) -> (T, T) { (b, a) }
    div(a, b: T) -> (T, T) { (T::from_f64(1.0) / b, -(a / b / b)) }
    powf(x, p: T) -> (T, T) {
        // Zero as a function of `p`, which has a derivative.
        let by_base = if p != T::from_f64(0.0) {
            p * x.powf(p - T::from_f64(1.0))
        } else if x == T::from_f64(0.0) || x.is_nan() {
            T::from_f64(0.0)
        } else {
            p / x
        };
        let by_exponent = if x == T::from_f64(0.0) && p > T::from_f64(0.0) { T::from_f64(0.0) } else { x.powf(p) * x.ln() };
        (by_base, by_exponent)
    }
    hypot(a, b: T) -> (T, T) { (a / a.hypot(b), b / a.hypot(b)) }
    atan2(y, x: T) -> (T, T) { (x / x.hypot(y) / x.hypot(y), -(y / x.hypot(y) / x.hypot(y))) }
    min(a, b: T) -> (T, T) {
        if a < b || b.is_nan() {
            (T::from_f64(1.0), T::from_f64(0.0))
        } else if b < a || a.is_nan() {
            (T::from_f64(0.0), T::from_f64(1.0))
        } else {
            (T::from_f64(0.5), T::from_f64(0.5))
        }
    }
    max(a, b: T) -> (T, T) {
        if a > b || b.is_nan() {
            (T::from_f64(1.0), T::from_f64(0.0))
        } else if b > a || a.is_nan() {
            (T::from_f64(0.0), T::from_f64(1.0))
        } else {
            (T::from_f64(0.5), T::from_f64(0.5))
        }
    }
    ;
    square(x) -> T { x + x }
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
    rsqrt(x) -> T { T::from_f64(-0.5) * x.rsqrt() / x }
    erf(x) -> T { T::from_f64(1.128_379_167_095_512_6) * (-x * x).exp() }
    erfc(x) -> T { T::from_f64(-1.128_379_167_095_512_6) * (-x * x).exp() }
    norm_cdf(x) -> T { T::from_f64(0.398_942_280_401_432_7) * (T::from_f64(-0.5) * x * x).exp() }
    minimum(a, b: T) -> (T, T) {
        if a < b {
            (T::ONE, T::ZERO)
        } else if b < a {
            (T::ZERO, T::ONE)
        } else if a == b {
            (T::from_f64(0.5), T::from_f64(0.5))
        } else {
            (T::NAN, T::NAN)
        }
    }
    maximum(a, b: T) -> (T, T) {
        if a > b {
            (T::ONE, T::ZERO)
        } else if b > a {
            (T::ZERO, T::ONE)
        } else if a == b {
            (T::from_f64(0.5), T::from_f64(0.5))
        } else {
            (T::NAN, T::NAN)
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

            /// The closest numbers from `lowest` to `highest`, which are broadcast: [`maximum`](Self::maximum) with `lowest`, then
            /// [`minimum`](Self::minimum) with `highest`, as in NumPy's `clip`. At a limit, half of the gradient goes to the element and half to
            /// the limit, as in JAX.
            ///
            /// ```
            /// use gpu_runtime::gradient::grad;
            /// use gpu_runtime::prelude::*;
            ///
            /// let x = Device::cpu().to_device(&[-2.0, 0.0, 0.5, 3.0])?;
            /// assert_eq!(grad(&x, |x| x.clamp(0.0, 1.0).sum())?.to_host()?, [0.0, 0.5, 1.0, 0.0]);
            /// # Ok::<(), gpu_runtime::Error>(())
            /// ```
            #[allow(clippy::type_complexity, reason = "the type is the expression")]
            pub fn clamp<A: IntoTraced<'a, T>, B: IntoTraced<'a, T>>(
                &self,
                lowest: A,
                highest: B,
            ) -> Traced<'a, Apply<functions::minimum::Function<T>, (Apply<functions::maximum::Function<T>, (E, A::Expression)>, B::Expression)>> {
                let raised = Apply::new((self.expression.clone(), lowest.into_traced()));
                Traced::new(Apply::new((raised, highest.into_traced())))
            }
        }
    };
}

methods! {
    abs square recip sqrt cbrt exp exp2 exp_m1 ln ln_1p log2 log10 sin cos tan asin acos atan sinh cosh tanh asinh acosh atanh
    relu sigmoid silu gelu softplus rsqrt erf erfc norm_cdf;
    powf as powf hypot as hypot atan2 as atan2 min_with as min max_with as max minimum as minimum maximum as maximum
}
