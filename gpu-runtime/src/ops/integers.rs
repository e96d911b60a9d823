//! Methods of integers that fail for a zero divisor only, where `/` fails for `MIN / -1` too, and logarithms, which fail for numbers that are
//! not positive.

use super::division::{DivideUnsigned, Undefined, defined};
use crate::backend::cpu::{Stop, Thread};
use crate::scalar::Integer;

/// A function for each method, which is std's where the divisor is not zero.
macro_rules! by_divisor {
    ($($name:ident -> $Out:ty;)*) => {$(
        /// The method of std of this name.
        #[cfg_attr(debug_assertions, inline)]
        #[cfg_attr(not(debug_assertions), inline(always))]
        pub fn $name<T: Integer>(thread: &Thread<'_>, a: T, b: T, site: u32) -> Result<$Out, Stop> {
            defined(thread, if b == T::ZERO { Err(Undefined::ByZero) } else { Ok(Integer::$name(a, b)) }, site)
        }
    )*};
}

by_divisor! {
    wrapping_div -> T;
    wrapping_rem -> T;
    wrapping_div_euclid -> T;
    wrapping_rem_euclid -> T;
    saturating_div -> T;
    overflowing_div -> (T, bool);
    overflowing_rem -> (T, bool);
}

/// `a.next_multiple_of(b)`, which wraps around.
#[cfg_attr(debug_assertions, inline)]
#[cfg_attr(not(debug_assertions), inline(always))]
pub fn next_multiple_of<T: Integer + DivideUnsigned>(thread: &Thread<'_>, a: T, b: T, site: u32) -> Result<T, Stop> {
    let remainder = wrapping_rem(thread, a, b, site)?;
    Ok(if remainder == T::ZERO { a } else { Integer::wrapping_add(a, Integer::wrapping_sub(b, remainder)) })
}

/// Logarithms, rounded down.
macro_rules! logarithms {
    ($($name:ident)*) => {$(
        /// The method of std of this name.
        #[cfg_attr(debug_assertions, inline)]
        #[cfg_attr(not(debug_assertions), inline(always))]
        pub fn $name<T: Integer>(thread: &Thread<'_>, a: T, site: u32) -> Result<u32, Stop> {
            if a > T::ZERO { Ok(Integer::$name(a)) } else { Err(thread.fail(site, [0, 0])) }
        }
    )*};
}

logarithms! { ilog2 ilog10 }
