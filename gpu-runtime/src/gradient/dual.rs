//! Dual numbers: a value, and its derivative along one direction. The value may be a dual number itself, for second derivatives.

use std::cmp::Ordering;
use std::ops::{Add, Div, Mul, Neg, Rem, Sub};

use super::derivatives::{slopes, slopes32, slopes64};
use crate::{DeviceType, gpu_device};

/// A dual number of values of type `$T`, which are numbers of type `$F` or dual numbers of those, and its methods: those whose derivatives are in
/// the table of [`derivatives`](super::derivatives), and those with a derivative that is a number.
macro_rules! dual {
    (
        $Dual:ident $T:ident $F:ident $slopes:ident [$zero:tt $half:tt $one:tt $minus_one:tt] $clamp:ident $rem_euclid:ident $doc:literal
        { $($made:item)* } $($name:ident)*; $($linear:ident { $slope:literal })*
    ) => {
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

            $($made)*

            /// The tangent of a function of this number with that slope.
            fn part(self, slope: $T) -> $T {
                if self.varies { self.tangent * slope } else { $zero }
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
                    self.chain(v.$name(), $slopes::$name(v))
                }
            )*

            $(
                #[doc = concat!("`", stringify!($linear), "` and its derivative.")]
                pub fn $linear(self) -> Self {
                    let v: $T = self.value;
                    let factor: $F = $slope;
                    self.chain(v.$linear(), $one * factor)
                }
            )*

            /// The absolute value, with the sign of another number; at 0 the derivative is 0.
            pub fn copysign(self, sign: Self) -> Self {
                let (v, s): ($T, $T) = (self.value, sign.value);
                let y: $T = v.copysign(s);
                let slope: $T = if v == $zero { $zero } else if v == y { $one } else { $minus_one };
                self.chain(y, slope)
            }

            /// An integer power.
            pub fn powi(self, n: i32) -> Self {
                let v: $T = self.value;
                self.chain(v.powi(n), $slopes::powi(v, n))
            }

            /// A power.
            pub fn powf(self, exponent: Self) -> Self {
                let (x, p): ($T, $T) = (self.value, exponent.value);
                let (by_base, by_exponent): ($T, $T) = $slopes::powf(x, p);
                self.join(exponent, x.powf(p), by_base, by_exponent)
            }

            /// The logarithm to a base.
            pub fn log(self, base: Self) -> Self {
                let (x, b): ($T, $T) = (self.value, base.value);
                let (y, ln_b): ($T, $T) = (x.log(b), b.ln());
                self.join(base, y, $one / (x * ln_b), -(y / (b * ln_b)))
            }

            /// The hypotenuse; NaN is its derivative at the origin.
            pub fn hypot(self, other: Self) -> Self {
                let (a, b): ($T, $T) = (self.value, other.value);
                let (by_a, by_b): ($T, $T) = $slopes::hypot(a, b);
                self.join(other, a.hypot(b), by_a, by_b)
            }

            /// The angle of a point; NaN is its derivative at the origin.
            pub fn atan2(self, x: Self) -> Self {
                let (b, a): ($T, $T) = (self.value, x.value);
                let (by_b, by_a): ($T, $T) = $slopes::atan2(b, a);
                self.join(x, b.atan2(a), by_b, by_a)
            }

            /// `self * a + b` with one rounding.
            pub fn mul_add(self, a: Self, b: Self) -> Self {
                let (x, y, z): ($T, $T, $T) = (self.value, a.value, b.value);
                let product: Self = self.join(a, x.mul_add(y, z), y, x);
                product.join(b, x.mul_add(y, z), $one, $one)
            }

            /// The smaller; the mean of the derivatives if both are equal.
            pub fn min(self, other: Self) -> Self {
                let (a, b): ($T, $T) = (self.value, other.value);
                if a < b || b.is_nan() {
                    self
                } else if b < a || a.is_nan() {
                    other
                } else {
                    self.join(other, a.min(b), $half, $half)
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
                    self.join(other, a.max(b), $half, $half)
                }
            }

            /// What a call of `clamp` becomes: at a limit, the mean of the derivatives of the number and of the limit.
            pub fn clamp_of_float(self, low: Self, high: Self) -> Self {
                let (v, a, b): ($T, $T, $T) = (self.value, low.value, high.value);
                let clamped: $T = v.$clamp(a, b);
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
                let r: $T = a.$rem_euclid(b);
                self.join(divisor, r, $one, -((a - r) / b).round())
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
                self.join(other, self.value + other.value, $one, $one)
            }
        }

        #[gpu_device]
        #[diagnostic::do_not_recommend]
        impl Sub for $Dual {
            type Output = Self;

            fn sub(self, other: Self) -> Self {
                self.join(other, self.value - other.value, $one, $minus_one)
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
                let (by_a, by_b): ($T, $T) = $slopes::div(a, b);
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
                self.join(other, r, $one, -((a - r) / b).round())
            }
        }

        #[gpu_device]
        #[diagnostic::do_not_recommend]
        impl Neg for $Dual {
            type Output = Self;

            fn neg(self) -> Self {
                self.chain(-self.value, $minus_one)
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
        impl PartialEq<$F> for $Dual {
            fn eq(&self, other: &$F) -> bool {
                let (a, b): ($F, $F) = ($Dual::number(*self), *other);
                a == b
            }
        }

        // A comparison with a constant.
        #[gpu_device]
        #[diagnostic::do_not_recommend]
        impl PartialOrd<$F> for $Dual {
            fn partial_cmp(&self, other: &$F) -> Option<Ordering> {
                let (a, b): ($F, $F) = ($Dual::number(*self), *other);
                a.partial_cmp(&b)
            }
        }

        dual!(@with $Dual $F Add add +);
        dual!(@with $Dual $F Sub sub -);
        dual!(@with $Dual $F Mul mul *);
        dual!(@with $Dual $F Div div /);
        dual!(@with $Dual $F Rem rem %);
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

/// All dual numbers with one table.
macro_rules! duals {
    ($($row:tt)*) => {
        dual! {
            Dual64 f64 f64 slopes [0.0 0.5 1.0 (-1.0)] clamp rem_euclid "An `f64` and its derivative."
            {
                /// A number that does not vary.
                pub fn constant(value: f64) -> Self {
                    Self { value, tangent: 0.0, varies: false }
                }

                fn number(self) -> f64 {
                    self.value
                }

                /// For the table of derivatives.
                #[doc(hidden)]
                pub fn from_f64(value: f64) -> Self {
                    Self::constant(value)
                }

                /// For the table of derivatives.
                #[doc(hidden)]
                pub fn from_i32(value: i32) -> Self {
                    Self::constant(value as f64)
                }
            }
            $($row)*
        }
        dual! {
            Dual32 f32 f32 slopes [0.0 0.5 1.0 (-1.0)] clamp rem_euclid "An `f32` and its derivative."
            {
                /// A number that does not vary.
                pub fn constant(value: f32) -> Self {
                    Self { value, tangent: 0.0, varies: false }
                }

                fn number(self) -> f32 {
                    self.value
                }

                /// For the table of derivatives.
                #[doc(hidden)]
                pub fn from_f64(value: f64) -> Self {
                    Self::constant(value as f32)
                }

                /// For the table of derivatives.
                #[doc(hidden)]
                pub fn from_i32(value: i32) -> Self {
                    Self::constant(value as f32)
                }
            }
            $($row)*
        }
        second! { SecondDual64 Dual64 f64 slopes64 "An `f64`, its derivatives along two directions, and the second derivative along both." $($row)* }
        second! { SecondDual32 Dual32 f32 slopes32 "An `f32`, its derivatives along two directions, and the second derivative along both." $($row)* }
    };
}

/// A dual number of dual numbers.
macro_rules! second {
    ($Second:ident $Dual:ident $F:ident $slopes:ident $doc:literal $($row:tt)*) => {
        dual! {
            $Second $Dual $F $slopes
            [($Dual::constant(0.0)) ($Dual::constant(0.5)) ($Dual::constant(1.0)) ($Dual::constant(-1.0))]
            clamp_of_float rem_euclid_of_float $doc
            {
                /// A number that does not vary along any direction.
                pub fn constant(value: $F) -> Self {
                    Self { value: $Dual::constant(value), tangent: $Dual::constant(0.0), varies: false }
                }

                fn number(self) -> $F {
                    let value: $Dual = self.value;
                    value.value
                }

                /// A number that varies along the direction of its value alone.
                pub fn still(value: $Dual) -> Self {
                    Self { value, tangent: $Dual::constant(0.0), varies: false }
                }
            }
            $($row)*
        }
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
