//! Codes for sorting: unsigned integers in the same order as the elements, with NaN last.

use std::any::Any;

use super::radix::{Carried, sort_codes};
use crate::memory::{DeviceArray, DeviceSlice};
use crate::scalar::Num;
use crate::source::is_same;
use crate::{Result, vectorize};

macro_rules! codes_of_floats {
    ($encode:ident, $decode:ident: $T:ident, $Code:ident) => {
        #[vectorize]
        pub(super) fn $encode(x: $T) -> $Code {
            let bits = x.to_bits();
            // The bits of negative numbers are in the reverse order.
            if x != x {
                !0
            } else if bits >> ($Code::BITS - 1) == 1 {
                !bits
            } else {
                bits | 1 << ($Code::BITS - 1)
            }
        }

        #[vectorize]
        pub(super) fn $decode(code: $Code) -> $T {
            if code == !0 {
                $T::NAN
            } else if code >> ($Code::BITS - 1) == 1 {
                $T::from_bits(code ^ 1 << ($Code::BITS - 1))
            } else {
                $T::from_bits(!code)
            }
        }
    };
}

macro_rules! codes_of_integers {
    ($($encode:ident, $decode:ident: $T:ident, $Code:ident, $lowest:expr;)*) => {
        $(
            #[vectorize]
            fn $encode(x: $T) -> $Code {
                x as $Code ^ $lowest
            }

            #[vectorize]
            fn $decode(code: $Code) -> $T {
                (code ^ $lowest) as $T
            }
        )*
    };
}

codes_of_floats! { encode_f32, decode_f32: f32, u32 }
codes_of_floats! { encode_f64, decode_f64: f64, u64 }
codes_of_integers! {
    encode_i8, decode_i8: i8, u32, 0x80;
    encode_i16, decode_i16: i16, u32, 0x8000;
    encode_i32, decode_i32: i32, u32, 0x8000_0000;
    encode_i64, decode_i64: i64, u64, 0x8000_0000_0000_0000;
    encode_isize, decode_isize: isize, u64, 0x8000_0000_0000_0000;
    encode_u8, decode_u8: u8, u32, 0;
    encode_u16, decode_u16: u16, u32, 0;
    encode_u32, decode_u32: u32, u32, 0;
    encode_u64, decode_u64: u64, u64, 0;
    encode_usize, decode_usize: usize, u64, 0;
}

/// Elements in ascending order, and the values that went with them.
pub(super) type Sorted<T> = (DeviceArray<T>, Option<DeviceArray<u32>>);

/// The elements in ascending order, and what goes with them, if they are of a type that has codes and there are
/// fewer than 2³².
#[track_caller]
pub(super) fn sort_by_codes<T: Num>(keys: DeviceSlice<'_, T>, carried: Carried<'_>) -> Option<Result<Sorted<T>>> {
    if u32::try_from(keys.len()).is_err() {
        return None;
    }
    let len = keys.len();
    macro_rules! sort {
        ($($encode:ident, $decode:ident: $T:ident as $Code:ident, $bits:literal, $FLOATS:literal $zero:expr;)*) => {
            $(
                if const { is_same::<T, $T>() } {
                    let sort = || {
                        if const { is_same::<T, $Code>() } {
                            // SAFETY: the elements are their codes.
                            let codes: DeviceSlice<'_, $Code> = unsafe { keys.cast(len) };
                            let (sorted, values) = sort_codes::<_, $FLOATS>(codes, carried, 0..$bits, $zero)?;
                            return Ok((same_type(sorted), values));
                        }
                        // SAFETY: the elements have this type.
                        let keys: DeviceSlice<'_, $T> = unsafe { keys.cast(len) };
                        let codes: DeviceArray<$Code> = $encode::map(keys).collect()?;
                        let (sorted, values) = sort_codes::<_, $FLOATS>(codes.slice(..), carried, 0..$bits, $zero)?;
                        Ok((same_type($decode::map(&sorted).collect()?), values))
                    };
                    return Some(sort());
                }
            )*
        };
    }
    sort! {
        encode_f32, decode_f32: f32 as u32, 32, true 1 << 31;
        encode_f64, decode_f64: f64 as u64, 64, true 1 << 63;
        encode_i8, decode_i8: i8 as u32, 8, false 0;
        encode_i16, decode_i16: i16 as u32, 16, false 0;
        encode_i32, decode_i32: i32 as u32, 32, false 0;
        encode_i64, decode_i64: i64 as u64, 64, false 0;
        encode_isize, decode_isize: isize as u64, 64, false 0;
        encode_u8, decode_u8: u8 as u32, 8, false 0;
        encode_u16, decode_u16: u16 as u32, 16, false 0;
        encode_u32, decode_u32: u32 as u32, 32, false 0;
        encode_u64, decode_u64: u64 as u64, 64, false 0;
        encode_usize, decode_usize: usize as u64, 64, false 0;
    }
    #[cfg(feature = "half")]
    if const { is_same::<T, half::f16>() } {
        return Some(sort_halves(keys, carried, half::f16::INFINITY.to_bits(), half::f16::NAN.to_bits()));
    } else if const { is_same::<T, half::bf16>() } {
        return Some(sort_halves(keys, carried, half::bf16::INFINITY.to_bits(), half::bf16::NAN.to_bits()));
    }
    None
}

/// The code of a float of 16 bits, of which it has as many, with the bits of infinity in its format.
#[cfg(feature = "half")]
#[vectorize]
fn encode_half(bits: u16, infinity: u16) -> u32 {
    if bits & 0x7fff > infinity {
        0xffff
    } else if bits >> 15 == 1 {
        !bits as u32
    } else {
        (bits | 0x8000) as u32
    }
}

/// The bits of a float of 16 bits, from its code.
#[cfg(feature = "half")]
#[vectorize]
fn decode_half(code: u32, nan: u16) -> u16 {
    if code == 0xffff {
        nan
    } else if code >> 15 == 1 {
        code as u16 ^ 0x8000
    } else {
        !(code as u16)
    }
}

/// [`sort_by_codes`] of floats of 16 bits.
#[cfg(feature = "half")]
#[track_caller]
fn sort_halves<T: Num>(keys: DeviceSlice<'_, T>, carried: Carried<'_>, infinity: u16, nan: u16) -> Result<Sorted<T>> {
    let len = keys.len();
    // SAFETY: a float of 16 bits is its bits.
    let bits: DeviceSlice<'_, u16> = unsafe { keys.cast(len) };
    let codes: DeviceArray<u32> = encode_half::map(bits, infinity).collect()?;
    let (codes, values) = sort_codes::<_, true>(codes.slice(..), carried, 0..16, 1 << 15)?;
    let mut sorted = DeviceArray::unspecified(keys.device(), len.into())?;
    // SAFETY: as above.
    decode_half::map(&codes, nan).collect_into(unsafe { sorted.slice_mut(..).cast::<u16>(len) })?;
    Ok((sorted, values))
}

/// An array whose elements have the type `T` in fact.
pub(super) fn same_type<T: Num, U: Num>(array: DeviceArray<U>) -> DeviceArray<T> {
    let array: Box<dyn Any> = Box::new(array);
    *array.downcast().expect("the elements have the type of the keys")
}
