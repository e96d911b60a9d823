//! Float arithmetic with directed rounding.

use super::exact::{self, Direction};
use crate::ops::arithmetic::sealed::Sealed;

/// Declares [`DeviceRounding`]. Of each operation, the line of what is nearest comes first.
macro_rules! device_rounding {
    ($($operation:ident $args:tt { $(#[$nearest_doc:meta])* $nearest:ident; $($(#[$doc:meta])* $name:ident: $direction:ident;)* })*) => {
        /// Float arithmetic with directed rounding: CUDA's `__fadd_ru`, Numba's `libdevice.fadd_ru`.
        ///
        /// A result that is not exactly a float is rounded up, to the next larger float; down, to the next smaller float; towards 0; or to
        /// the nearest float, like the operators. A result beyond the range becomes the largest float if infinity is in the other
        /// direction. If a sum of numbers with different signs is 0, it is `-0.0` if rounded down. A GPU never fuses these operations with
        /// others into `mul_add`. They have the same bits on both backends; but a kernel with `fast_math = true` treats denormals of `f32`
        /// as zero here too. On the CPU, an operation takes tens of nanoseconds.
        ///
        /// The prelude brings it into scope, so that these are methods of `f32` and `f64`, in kernels and on the host.
        ///
        /// ```
        /// use gpu_runtime::prelude::*;
        ///
        /// /// A lower and an upper bound of `x² + y`, including all rounding errors.
        /// #[gpu_device]
        /// fn bounds(x: f64, y: f64) -> (f64, f64) {
        ///     (x.mul_round_down(x).add_round_down(y), x.mul_round_up(x).add_round_up(y))
        /// }
        ///
        /// #[gpu_kernel]
        /// fn enclose(x: &[f64], lowest: &mut [f64], highest: &mut [f64]) {
        ///     let i = grid_1d();
        ///     if i < x.len() {
        ///         let (low, high) = bounds(x[i], 1.0);
        ///         lowest[i] = low;
        ///         highest[i] = high;
        ///     }
        /// }
        ///
        /// let (low, high) = bounds(0.1, 1.0);
        /// assert_eq!(low.next_up(), high);
        /// assert_eq!(bounds(3.0, 1.0), (10.0, 10.0));
        /// ```
        #[diagnostic::on_unimplemented(message = "`{Self}` is not a float", label = "not `f32` or `f64`")]
        pub trait DeviceRounding: Sized + Copy + Sealed {
            $(
                device_rounding! { @declared $(#[$nearest_doc])* $nearest $args }
                $(device_rounding! { @declared $(#[$doc])* $name $args })*
            )*
        }

        impl DeviceRounding for f32 {
            $(device_rounding! { @defined $operation $args { $nearest; $($name: $direction;)* } })*
        }

        impl DeviceRounding for f64 {
            $(device_rounding! { @defined $operation $args { $nearest; $($name: $direction;)* } })*
        }
    };
    (@declared $(#[$doc:meta])* $name:ident ($($arg:ident),*)) => {
        $(#[$doc])* fn $name(self $(, $arg: Self)*) -> Self;
    };
    (@defined $operation:ident $args:tt { $nearest:ident; $($name:ident: $direction:ident;)* }) => {
        device_rounding! { @nearest $operation $nearest $args }
        $(device_rounding! { @directed $operation $name $direction $args })*
    };
    (@nearest $operation:ident $name:ident ($($arg:ident),*)) => {
        #[inline]
        fn $name(self $(, $arg: Self)*) -> Self {
            Nearest::$operation(self $(, $arg)*)
        }
    };
    (@directed $operation:ident $name:ident $direction:ident ($($arg:ident),*)) => {
        #[inline]
        fn $name(self $(, $arg: Self)*) -> Self {
            directed::$operation(self $(, $arg)*, Direction::$direction)
        }
    };
}

device_rounding! {
    add (other) {
        /// The sum `self + other`, rounded to the nearest float. CUDA: `__fadd_rn`, `__dadd_rn`.
        add_round_nearest;
        /// The sum `self + other`, rounded up. CUDA: `__fadd_ru`, `__dadd_ru`.
        add_round_up: Up;
        /// The sum `self + other`, rounded down. CUDA: `__fadd_rd`, `__dadd_rd`.
        add_round_down: Down;
        /// The sum `self + other`, rounded to 0. CUDA: `__fadd_rz`, `__dadd_rz`.
        add_round_to_zero: ToZero;
    }
    sub (other) {
        /// The difference `self - other`, rounded to the nearest float. CUDA: `__fsub_rn`, `__dsub_rn`.
        sub_round_nearest;
        /// The difference `self - other`, rounded up. CUDA: `__fsub_ru`, `__dsub_ru`.
        sub_round_up: Up;
        /// The difference `self - other`, rounded down. CUDA: `__fsub_rd`, `__dsub_rd`.
        sub_round_down: Down;
        /// The difference `self - other`, rounded to 0. CUDA: `__fsub_rz`, `__dsub_rz`.
        sub_round_to_zero: ToZero;
    }
    mul (other) {
        /// The product `self * other`, rounded to the nearest float. CUDA: `__fmul_rn`, `__dmul_rn`.
        mul_round_nearest;
        /// The product `self * other`, rounded up. CUDA: `__fmul_ru`, `__dmul_ru`.
        mul_round_up: Up;
        /// The product `self * other`, rounded down. CUDA: `__fmul_rd`, `__dmul_rd`.
        mul_round_down: Down;
        /// The product `self * other`, rounded to 0. CUDA: `__fmul_rz`, `__dmul_rz`.
        mul_round_to_zero: ToZero;
    }
    mul_add (factor, summand) {
        /// `self * factor + summand` with one rounding, rounded to the nearest float. CUDA: `__fmaf_rn`, `__fma_rn`.
        mul_add_round_nearest;
        /// `self * factor + summand` with one rounding, rounded up. CUDA: `__fmaf_ru`, `__fma_ru`.
        mul_add_round_up: Up;
        /// `self * factor + summand` with one rounding, rounded down. CUDA: `__fmaf_rd`, `__fma_rd`.
        mul_add_round_down: Down;
        /// `self * factor + summand` with one rounding, rounded to 0. CUDA: `__fmaf_rz`, `__fma_rz`.
        mul_add_round_to_zero: ToZero;
    }
    div (divisor) {
        /// The quotient `self / divisor`, rounded to the nearest float. CUDA: `__fdiv_rn`, `__ddiv_rn`.
        div_round_nearest;
        /// The quotient `self / divisor`, rounded up. CUDA: `__fdiv_ru`, `__ddiv_ru`.
        div_round_up: Up;
        /// The quotient `self / divisor`, rounded down. CUDA: `__fdiv_rd`, `__ddiv_rd`.
        div_round_down: Down;
        /// The quotient `self / divisor`, rounded to 0. CUDA: `__fdiv_rz`, `__ddiv_rz`.
        div_round_to_zero: ToZero;
    }
    recip () {
        /// `1 / self`, rounded to the nearest float. CUDA: `__frcp_rn`, `__drcp_rn`.
        recip_round_nearest;
        /// `1 / self`, rounded up. CUDA: `__frcp_ru`, `__drcp_ru`.
        recip_round_up: Up;
        /// `1 / self`, rounded down. CUDA: `__frcp_rd`, `__drcp_rd`.
        recip_round_down: Down;
        /// `1 / self`, rounded to 0. CUDA: `__frcp_rz`, `__drcp_rz`.
        recip_round_to_zero: ToZero;
    }
    sqrt () {
        /// The square root, rounded to the nearest float. CUDA: `__fsqrt_rn`, `__dsqrt_rn`.
        sqrt_round_nearest;
        /// The square root, rounded up. CUDA: `__fsqrt_ru`, `__dsqrt_ru`.
        sqrt_round_up: Up;
        /// The square root, rounded down. CUDA: `__fsqrt_rd`, `__dsqrt_rd`.
        sqrt_round_down: Down;
        /// The square root, rounded to 0. CUDA: `__fsqrt_rz`, `__dsqrt_rz`.
        sqrt_round_to_zero: ToZero;
    }
}

/// The operations as the processor does them.
trait Nearest: exact::Parts + PartialEq {
    fn add(self, other: Self) -> Self;
    fn sub(self, other: Self) -> Self;
    fn mul(self, other: Self) -> Self;
    fn mul_add(self, factor: Self, summand: Self) -> Self;
    fn div(self, divisor: Self) -> Self;
    fn recip(self) -> Self;
    fn sqrt(self) -> Self;
    fn is_above_zero(self) -> bool;
    fn is_zero(self) -> bool;
    fn is_finite(self) -> bool;
    fn negated(self) -> Self;
    fn one() -> Self;
}

macro_rules! nearest {
    ($($F:ident)*) => {
        $(impl Nearest for $F {
            fn add(self, other: Self) -> Self {
                self + other
            }
            fn sub(self, other: Self) -> Self {
                self - other
            }
            fn mul(self, other: Self) -> Self {
                self * other
            }
            fn mul_add(self, factor: Self, summand: Self) -> Self {
                $F::mul_add(self, factor, summand)
            }
            fn div(self, divisor: Self) -> Self {
                self / divisor
            }
            fn recip(self) -> Self {
                1.0 / self
            }
            fn sqrt(self) -> Self {
                $F::sqrt(self)
            }
            fn is_above_zero(self) -> bool {
                self > 0.0
            }
            fn is_zero(self) -> bool {
                self == 0.0
            }
            fn is_finite(self) -> bool {
                $F::is_finite(self)
            }
            fn negated(self) -> Self {
                -self
            }
            fn one() -> Self {
                1.0
            }
        })*
    };
}

nearest!(f32 f64);

/// The operations in a direction. What is infinite, NaN or 0 already is what the processor says: only a sum of 0 has a direction.
mod directed {
    use super::{Direction, Nearest, exact};

    pub(super) fn add<F: Nearest>(a: F, b: F, direction: Direction) -> F {
        if a.is_finite() && b.is_finite() { exact::add(a, b, direction) } else { a.add(b) }
    }

    pub(super) fn sub<F: Nearest>(a: F, b: F, direction: Direction) -> F {
        add(a, b.negated(), direction)
    }

    pub(super) fn mul<F: Nearest>(a: F, b: F, direction: Direction) -> F {
        let is_settled = !a.is_finite() || !b.is_finite() || a.is_zero() || b.is_zero();
        if is_settled { a.mul(b) } else { exact::mul(a, b, direction) }
    }

    pub(super) fn mul_add<F: Nearest>(a: F, b: F, c: F, direction: Direction) -> F {
        let is_settled = !a.is_finite() || !b.is_finite() || !c.is_finite();
        if is_settled { a.mul_add(b, c) } else { exact::mul_add(a, b, c, direction) }
    }

    pub(super) fn div<F: Nearest>(a: F, b: F, direction: Direction) -> F {
        let is_settled = !a.is_finite() || !b.is_finite() || a.is_zero() || b.is_zero();
        if is_settled { a.div(b) } else { exact::div(a, b, direction) }
    }

    pub(super) fn recip<F: Nearest>(a: F, direction: Direction) -> F {
        div(F::one(), a, direction)
    }

    pub(super) fn sqrt<F: Nearest>(a: F, direction: Direction) -> F {
        if a.is_finite() && a.is_above_zero() { exact::sqrt(a, direction) } else { a.sqrt() }
    }
}

#[cfg(test)]
#[path = "rounding_tests.rs"]
mod tests;
