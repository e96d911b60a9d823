//! The arithmetic of a thread, which the checker watches for overflow.
//!
//! A GPU's integers wrap around, and so do a twin's in every build profile. In Rust, an overflow is a bug unless the program says
//! `wrapping_add`, and debug builds look for it. So do those operators of a twin that can overflow, in a build with debug assertions: if the
//! launch is checked, they report it, and continue with the wrapped result. Without debug assertions nothing is compared, because that would
//! keep loops from becoming vector instructions.

use super::arithmetic::{Arithmetic, Negate};
use super::bits::{Shift, ShiftAmount};
use crate::backend::cpu::Thread;
use crate::failure::IntegerOperation::*;
use crate::failure::IntegerOverflow;
use crate::scalar::{Integer, Signed};

macro_rules! watched {
    ($($(#[$doc:meta])* $name:ident<$($T:ident: $Bound:path),+>($($operand:ident: $Of:ty),+) -> $R:ty { $result:expr } or $overflow:expr;)+) => {
        impl Thread<'_> {$(
            $(#[$doc])*
            #[cfg_attr(debug_assertions, inline, track_caller)]
            #[cfg_attr(not(debug_assertions), inline(always))]
            pub fn $name<$($T: $Bound),+>(&self, $($operand: $Of),+) -> $R {
                self.watch(|| $overflow);
                $result
            }
        )+}
    };
}

impl Thread<'_> {
    /// Reports the overflow that `find` finds. Only a build with debug assertions looks for it.
    #[cfg_attr(debug_assertions, inline, track_caller)]
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) fn watch(&self, find: impl FnOnce() -> Option<IntegerOverflow>) {
        if cfg!(debug_assertions)
            && let Some(overflow) = find()
        {
            self.report_overflow(overflow);
        }
    }
}

watched! {
    /// `a + b`
    add<T: Arithmetic>(a: T, b: T) -> T { a.add(b) } or a.overflow(Addition, b);
    /// `a - b`
    sub<T: Arithmetic>(a: T, b: T) -> T { a.sub(b) } or a.overflow(Subtraction, b);
    /// `a * b`
    mul<T: Arithmetic>(a: T, b: T) -> T { a.mul(b) } or a.overflow(Multiplication, b);
    /// `-a`
    neg<T: Negate>(a: T) -> T { a.neg() } or a.negation_overflow(Negation);
    /// `a.abs()`, of an integer
    abs<T: Signed>(a: T) -> T { Signed::abs(a) } or a.negation_overflow(AbsoluteValue);
    /// `a.pow(exponent)`
    pow<T: Integer>(a: T, exponent: u32) -> T { Integer::pow(a, exponent) } or a.power_overflow(exponent);
    /// `a << amount`, with the amount reduced modulo the width of `a`
    shl<T: Shift, U: ShiftAmount>(a: T, amount: U) -> T { a.shl(amount.low_bits()) } or a.shift_overflow(ShiftLeft, amount.value());
    /// `a >> amount`, with the amount reduced modulo the width of `a`. Copies the sign of a signed number.
    shr<T: Shift, U: ShiftAmount>(a: T, amount: U) -> T { a.shr(amount.low_bits()) } or a.shift_overflow(ShiftRight, amount.value());
}
