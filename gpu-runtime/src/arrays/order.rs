//! The elements that sorting would put at a place, without sorting: selection by digits.
//!
//! Codes ascend like the elements. A histogram of their highest digit says which digit the element that is looked for has; the next
//! histogram counts the next digit of the codes that begin with it, and so on. Each reads all elements once.

use super::codes::{decode_f32, decode_f64, encode_f32, encode_f64};
use crate::Result;
use crate::memory::DeviceSlice;
use crate::source::{Element, is_same};
use crate::ufunc::{Reductions, count_below};
use crate::vectorize;

/// Bits of a digit: as many as one histogram in shared memory counts.
const DIGIT: u32 = 11;

/// Elements that have codes of up to 64 bits.
trait Coded: Element {
    const BITS: u32;

    /// How many codes have each digit of `width` bits from bit `shift` on, of those whose bits above are `above`.
    fn count(x: DeviceSlice<'_, Self>, shift: u32, width: u32, above: u64) -> Result<Vec<u64>>;

    /// The lowest code above `code`, or the highest one.
    fn next(x: DeviceSlice<'_, Self>, code: u64) -> Result<u64>;

    fn decode(code: u64) -> Self;
}

macro_rules! coded {
    ($($T:ident as $Code:ident: $encode:ident $decode:ident $digit:ident $next:ident;)*) => {
        $(
            #[vectorize]
            fn $digit(x: $T, shift: u32, width: u32, above: u64) -> u32 {
                let code = $encode(x) as u64;
                // In two steps: a shift by 64 bits would be one by none.
                if (code >> shift) >> width == above { ((code >> shift) & ((1u64 << width) - 1)) as u32 } else { !0u32 }
            }

            #[vectorize]
            fn $next(x: $T, code: u64) -> u64 {
                let own = $encode(x) as u64;
                if own > code { own } else { !0u64 }
            }

            impl Coded for $T {
                const BITS: u32 = $Code::BITS;

                #[inline]
                fn count(x: DeviceSlice<'_, Self>, shift: u32, width: u32, above: u64) -> Result<Vec<u64>> {
                    count_below(&$digit::map(x, shift, width, above), 1 << width)?.to_host()
                }

                #[inline]
                fn next(x: DeviceSlice<'_, Self>, code: u64) -> Result<u64> {
                    $next::map(x, code).min()
                }

                fn decode(code: u64) -> Self {
                    $decode(code as $Code)
                }
            }
        )*
    };
}

coded! {
    f32 as u32: encode_f32 decode_f32 digit_of_f32 next_of_f32;
    f64 as u64: encode_f64 decode_f64 digit_of_f64 next_of_f64;
}

/// The elements at `place` and `place + 1` of the sorted elements, of which there are more than `place`; the same twice at the end.
#[track_caller]
fn select<T: Coded>(x: DeviceSlice<'_, T>, place: usize) -> Result<[T; 2]> {
    let (mut before, mut code, mut shift, mut last) = (place as u64, 0, T::BITS, 0);
    while shift > 0 {
        let width = DIGIT.min(shift);
        shift -= width;
        let counts = T::count(x, shift, width, code)?;
        let mut digit = 0;
        while before >= counts[digit] {
            before -= counts[digit];
            digit += 1;
        }
        code = code << width | digit as u64;
        last = counts[digit];
    }
    // Of equal elements, `before` are at places before this one.
    let next = if before + 1 < last || place + 1 == x.len() { code } else { T::next(x, code)? };
    Ok([code, next].map(T::decode))
}

/// [`select`], if the elements have a type that it knows.
#[track_caller]
pub(super) fn neighbours<T: Element>(x: DeviceSlice<'_, T>, place: usize) -> Option<Result<[T; 2]>> {
    let len = x.len();
    // SAFETY: the elements have the type that they are cast to, and so have the results.
    unsafe {
        if const { is_same::<T, f32>() } {
            Some(select::<f32>(x.cast(len), place).map(|two| std::mem::transmute_copy(&two)))
        } else if const { is_same::<T, f64>() } {
            Some(select::<f64>(x.cast(len), place).map(|two| std::mem::transmute_copy(&two)))
        } else {
            None
        }
    }
}
