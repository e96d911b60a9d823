//! Derivatives: of functions of numbers, and of expressions of arrays.
//!
//! Functions of numbers have theirs by `#[gpu_device(grad)]` and `#[vectorize(grad)]`. The attribute writes a second copy of the function in which each float is a [`Dual64`] or a [`Dual32`]: the number, and its derivative
//! along one direction (forward mode). The partial derivatives are that copy, called once for each float parameter.
//!
//! Expressions of arrays go backward, from one number to the arrays that it was computed from (reverse mode): see [`grad`] and [`Traced`].
//!
//! ```text
//! variable(&w) ──▶ Traced<Node>                 borrows `w`: nothing can change it before the gradient is computed
//! x.tanh() * &y ──▶ Traced<Apply<…>>            computes nothing: the types are those of lazy arrays
//! .sum()?, .matmul(&b)? ──▶ Traced<Node>        a stored result, and what brings a gradient back through the operation
//! loss.gradient((&w, &b))? ──▶ DeviceArrays     each operation once, the last one first
//! ```

use crate::{DeviceType, gpu_device};
use derivatives::slopes;
use std::cmp::Ordering;
use std::ops::{Add, Div, Mul, Neg, Rem, Sub};

mod backward;
mod chain;
mod derivatives;
mod enclosing;
mod forward;
#[cfg(feature = "linalg")]
mod linear_algebra;
mod node;
mod operations;
mod operators;
mod products;
mod reductions;
mod rules;
mod traced;

pub use crate::ufunc::Derivative;
pub use backward::{Arrays, Variables, grad, value_and_grad};
pub use chain::Differentiable;
pub use forward::jvp;
pub use node::Node;
pub use operations::{concatenate, select, stack};
pub use rules::{checkpoint, custom_vjp, surrogate_vjp};
pub use traced::{Constant, IntoTraced, Real, Stored, Traced, constant, variable};

mod numbers {
    use crate::gpu_device;
    use crate::scalar::Float;

    #[gpu_device]
    #[allow(unreachable_pub, reason = "the module `stop_gradient` exports what the attribute makes of it")]
    pub fn stop_gradient<T: Float>(x: T) -> T {
        x
    }
}

/// `x`, which counts as a constant in a function with a derivative: JAX's `stop_gradient`.
///
/// In such a function, only what it returns can be converted to an integer, `stop_gradient(x) as usize`, and only its argument can be
/// rounded, `stop_gradient(x.floor())`.
///
/// ```
/// use gpu_runtime::gradient::stop_gradient;
/// use gpu_runtime::prelude::*;
///
/// /// Linear between three values.
/// #[vectorize(grad)]
/// fn interpolated(x: f64) -> f64 {
///     let table = [1.0, 4.0, 9.0];
///     let cell = stop_gradient(x) as usize;
///     let along = x - cell as f64;
///     table[cell] * (1.0 - along) + table[cell + 1] * along
/// }
///
/// # fn main() {
/// assert_eq!(interpolated::grad(0.5), 3.0);
/// assert_eq!(interpolated::grad(1.5), 5.0);
/// # }
/// ```
pub fn stop_gradient<T: crate::scalar::Float>(x: T) -> T {
    x
}

#[doc(hidden)]
pub mod stop_gradient {
    pub use super::numbers::stop_gradient::*;

    /// What a call becomes in the copy of a function with `grad`. (rustc lists generic functions in messages about others.)
    pub mod write_grad_in_the_attribute_of_this_function {
        use super::super::{Dual32, Dual64};
        use crate::gpu_device;

        #[gpu_device]
        pub fn dual_of_f64(x: Dual64) -> Dual64 {
            Dual64::constant(x.value)
        }

        #[gpu_device]
        pub fn dual_of_f32(x: Dual32) -> Dual32 {
            Dual32::constant(x.value)
        }

        /// For a conversion to another type.
        #[gpu_device]
        pub fn number_of_f64(x: Dual64) -> f64 {
            x.value
        }

        /// For a conversion to another type.
        #[gpu_device]
        pub fn number_of_f32(x: Dual32) -> f32 {
            x.value
        }
    }
}

/// A dual number, and its methods: those whose derivatives are in the table of [`derivatives`], and those with a derivative that is a number.
macro_rules! dual {
    ($Dual:ident $T:ident $doc:literal $($name:ident)*; $($linear:ident { $slope:literal })*) => {
        #[doc = $doc]
        ///
        /// What does not vary has the derivative zero, even where a slope is infinite.
        #[derive(Debug, Clone, Copy, DeviceType)]
        #[repr(C)]
        pub struct $Dual {
            /// The number.
            pub value: $T,
            /// Its derivative.
            pub tangent: $T,
            /// Whether it depends on what the derivative is by.
            pub varies: bool,
        }

        #[gpu_device]
        impl $Dual {
            /// What the derivative is by, moving with this speed.
            pub fn variable(value: $T, tangent: $T) -> Self {
                Self { value, tangent, varies: true }
            }

            /// A number that does not vary.
            pub fn constant(value: $T) -> Self {
                Self { value, tangent: 0.0, varies: false }
            }

            /// The tangent of a function of this number with that slope.
            fn part(self, slope: $T) -> $T {
                if self.varies { self.tangent * slope } else { 0.0 }
            }

            /// A function of this number with that value and slope. Where the value is NaN, so is the derivative.
            fn chain(self, value: $T, slope: $T) -> Self {
                let part: $T = self.part(slope);
                Self { value, tangent: if self.varies && value.is_nan() { value } else { part }, varies: self.varies }
            }

            /// A function of two numbers with that value and these slopes.
            fn join(self, other: Self, value: $T, by_self: $T, by_other: $T) -> Self {
                let (first, second): ($T, $T) = (self.part(by_self), other.part(by_other));
                let varies = self.varies || other.varies;
                Self { value, tangent: if varies && value.is_nan() { value } else { first + second }, varies }
            }

            $(
                #[doc = concat!("`", stringify!($name), "` and its derivative.")]
                pub fn $name(self) -> Self {
                    let v: $T = self.value;
                    self.chain(v.$name(), slopes::$name(v))
                }
            )*

            $(
                #[doc = concat!("`", stringify!($linear), "` and its derivative.")]
                pub fn $linear(self) -> Self {
                    let v: $T = self.value;
                    self.chain(v.$linear(), $slope)
                }
            )*

            /// The absolute value, with the sign of another number; at 0 the derivative is 0.
            pub fn copysign(self, sign: Self) -> Self {
                let (v, s): ($T, $T) = (self.value, sign.value);
                let y: $T = v.copysign(s);
                let slope: $T = if v == 0.0 { 0.0 } else if v == y { 1.0 } else { -1.0 };
                self.chain(y, slope)
            }

            /// An integer power.
            pub fn powi(self, n: i32) -> Self {
                let v: $T = self.value;
                self.chain(v.powi(n), slopes::powi(v, n))
            }

            /// A power.
            pub fn powf(self, exponent: Self) -> Self {
                let (x, p): ($T, $T) = (self.value, exponent.value);
                let (by_base, by_exponent): ($T, $T) = slopes::powf(x, p);
                self.join(exponent, x.powf(p), by_base, by_exponent)
            }

            /// The logarithm to a base.
            pub fn log(self, base: Self) -> Self {
                let (x, b): ($T, $T) = (self.value, base.value);
                let (y, ln_b): ($T, $T) = (x.log(b), b.ln());
                self.join(base, y, 1.0 / (x * ln_b), -(y / (b * ln_b)))
            }

            /// The hypotenuse; NaN is its derivative at the origin.
            pub fn hypot(self, other: Self) -> Self {
                let (a, b): ($T, $T) = (self.value, other.value);
                let (by_a, by_b): ($T, $T) = slopes::hypot(a, b);
                self.join(other, a.hypot(b), by_a, by_b)
            }

            /// The angle of a point; NaN is its derivative at the origin.
            pub fn atan2(self, x: Self) -> Self {
                let (b, a): ($T, $T) = (self.value, x.value);
                let (by_b, by_a): ($T, $T) = slopes::atan2(b, a);
                self.join(x, b.atan2(a), by_b, by_a)
            }

            /// `self * a + b` with one rounding.
            pub fn mul_add(self, a: Self, b: Self) -> Self {
                let (x, y, z): ($T, $T, $T) = (self.value, a.value, b.value);
                let product: Self = self.join(a, x.mul_add(y, z), y, x);
                product.join(b, x.mul_add(y, z), 1.0, 1.0)
            }

            /// The smaller; the mean of the derivatives if both are equal.
            pub fn min(self, other: Self) -> Self {
                let (a, b): ($T, $T) = (self.value, other.value);
                if a < b || b.is_nan() {
                    self
                } else if b < a || a.is_nan() {
                    other
                } else {
                    self.join(other, a.min(b), 0.5, 0.5)
                }
            }

            /// The larger; the mean of the derivatives if both are equal.
            pub fn max(self, other: Self) -> Self {
                let (a, b): ($T, $T) = (self.value, other.value);
                if a > b || b.is_nan() {
                    self
                } else if b > a || a.is_nan() {
                    other
                } else {
                    self.join(other, a.max(b), 0.5, 0.5)
                }
            }

            /// What a call of `clamp` becomes: at a limit, the mean of the derivatives of the number and of the limit.
            pub fn clamp_of_float(self, low: Self, high: Self) -> Self {
                let (v, a, b): ($T, $T, $T) = (self.value, low.value, high.value);
                let clamped: $T = v.clamp(a, b);
                if clamped.is_nan() {
                    self
                } else {
                    let above: Self = $Dual::max(self, low);
                    $Dual::min(above, high)
                }
            }

            /// What a call of `rem_euclid` becomes: the remainder of the rounded-down quotient; the multiples of the divisor count to the interval above them.
            pub fn rem_euclid_of_float(self, divisor: Self) -> Self {
                let (a, b): ($T, $T) = (self.value, divisor.value);
                let r: $T = a.rem_euclid(b);
                self.join(divisor, r, 1.0, -((a - r) / b).round())
            }

            /// Whether the value is NaN.
            pub fn is_nan(self) -> bool {
                let v: $T = self.value;
                v.is_nan()
            }

            /// Whether the value is infinite.
            pub fn is_infinite(self) -> bool {
                let v: $T = self.value;
                v.is_infinite()
            }

            /// Whether the value is finite.
            pub fn is_finite(self) -> bool {
                let v: $T = self.value;
                v.is_finite()
            }
        }

        #[gpu_device]
        #[diagnostic::do_not_recommend]
        impl Add for $Dual {
            type Output = Self;

            fn add(self, other: Self) -> Self {
                self.join(other, self.value + other.value, 1.0, 1.0)
            }
        }

        #[gpu_device]
        #[diagnostic::do_not_recommend]
        impl Sub for $Dual {
            type Output = Self;

            fn sub(self, other: Self) -> Self {
                self.join(other, self.value - other.value, 1.0, -1.0)
            }
        }

        #[gpu_device]
        #[diagnostic::do_not_recommend]
        impl Mul for $Dual {
            type Output = Self;

            fn mul(self, other: Self) -> Self {
                self.join(other, self.value * other.value, other.value, self.value)
            }
        }

        #[gpu_device]
        #[diagnostic::do_not_recommend]
        impl Div for $Dual {
            type Output = Self;

            fn div(self, other: Self) -> Self {
                let (a, b): ($T, $T) = (self.value, other.value);
                let (by_a, by_b): ($T, $T) = slopes::div(a, b);
                self.join(other, a / b, by_a, by_b)
            }
        }

        #[gpu_device]
        #[diagnostic::do_not_recommend]
        impl Rem for $Dual {
            type Output = Self;

            fn rem(self, other: Self) -> Self {
                let (a, b): ($T, $T) = (self.value, other.value);
                let r: $T = a % b;
                self.join(other, r, 1.0, -((a - r) / b).round())
            }
        }

        #[gpu_device]
        #[diagnostic::do_not_recommend]
        impl Neg for $Dual {
            type Output = Self;

            fn neg(self) -> Self {
                self.chain(-self.value, -1.0)
            }
        }

        #[gpu_device]
        #[diagnostic::do_not_recommend]
        impl PartialEq for $Dual {
            fn eq(&self, other: &Self) -> bool {
                let (a, b): ($T, $T) = (self.value, other.value);
                a == b
            }
        }

        #[gpu_device]
        #[diagnostic::do_not_recommend]
        impl PartialOrd for $Dual {
            fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
                let (a, b): ($T, $T) = (self.value, other.value);
                a.partial_cmp(&b)
            }
        }

        // A comparison with a constant.
        #[gpu_device]
        #[diagnostic::do_not_recommend]
        impl PartialEq<$T> for $Dual {
            fn eq(&self, other: &$T) -> bool {
                let (a, b): ($T, $T) = (self.value, *other);
                a == b
            }
        }

        // A comparison with a constant.
        #[gpu_device]
        #[diagnostic::do_not_recommend]
        impl PartialOrd<$T> for $Dual {
            fn partial_cmp(&self, other: &$T) -> Option<Ordering> {
                let (a, b): ($T, $T) = (self.value, *other);
                a.partial_cmp(&b)
            }
        }

        dual!(@with $Dual $T Add add +);
        dual!(@with $Dual $T Sub sub -);
        dual!(@with $Dual $T Mul mul *);
        dual!(@with $Dual $T Div div /);
        dual!(@with $Dual $T Rem rem %);
    };
    // An operator with a number, which does not vary.
    (@with $Dual:ident $T:ident $Operator:ident $name:ident $symbol:tt) => {
        #[gpu_device]
        #[diagnostic::do_not_recommend]
        impl $Operator<$T> for $Dual {
            type Output = $Dual;

            fn $name(self, other: $T) -> $Dual {
                self $symbol $Dual::constant(other)
            }
        }

        #[gpu_device]
        #[diagnostic::do_not_recommend]
        impl $Operator<$Dual> for $T {
            type Output = $Dual;

            fn $name(self, other: $Dual) -> $Dual {
                $Dual::constant(self) $symbol other
            }
        }
    };
}

/// Both dual numbers with one table.
macro_rules! duals {
    ($($row:tt)*) => {
        dual!(Dual64 f64 "An `f64` and its derivative." $($row)*);
        dual!(Dual32 f32 "An `f32` and its derivative." $($row)*);
    };
}

duals! {
    abs sqrt cbrt recip exp exp2 exp_m1 ln ln_1p log2 log10 sin cos tan asin acos atan sinh cosh tanh asinh acosh atanh;
    fract { 1.0 }
    floor { 0.0 }
    ceil { 0.0 }
    round { 0.0 }
    round_ties_even { 0.0 }
    trunc { 0.0 }
    to_degrees { 57.295_779_513_082_32 }
    to_radians { 0.017_453_292_519_943_295 }
}
