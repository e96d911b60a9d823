//! The values that the threads of a warp can exchange.

use crate::ops::arithmetic::sealed::Sealed;
use crate::source::Element;

/// A value that fits a register: a number or `bool`. [`warp_shuffle`](fn@super::warp_shuffle) and similar functions take any of them.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be exchanged between the threads of a warp",
    label = "not a number or a `bool`",
    note = "exchange the elements of a tuple or array one by one"
)]
pub trait WarpValue: Element + Sealed {
    /// The bits, in a type that any value fits.
    #[doc(hidden)]
    fn into_lane(self) -> u64;
    /// The value with these bits, which came from [`into_lane`](Self::into_lane).
    #[doc(hidden)]
    fn from_lane(bits: u64) -> Self;
}

macro_rules! integers {
    ($($integer:ty)+) => {$(
        impl WarpValue for $integer {
            #[inline]
            fn into_lane(self) -> u64 {
                self as u64
            }
            #[inline]
            fn from_lane(bits: u64) -> Self {
                bits as Self
            }
        }
    )+};
}

integers! { i8 i16 i32 i64 isize u8 u16 u32 u64 usize }

macro_rules! floats {
    ($($float:ty: $bits:ty),+) => {$(
        impl WarpValue for $float {
            #[inline]
            fn into_lane(self) -> u64 {
                self.to_bits().into()
            }
            #[inline]
            fn from_lane(bits: u64) -> Self {
                // The bits of an `f32` are the lower half.
                Self::from_bits(bits as $bits)
            }
        }
    )+};
}

floats! { f32: u32, f64: u64 }

impl WarpValue for bool {
    #[inline]
    fn into_lane(self) -> u64 {
        self.into()
    }
    #[inline]
    fn from_lane(bits: u64) -> Self {
        bits != 0
    }
}

#[cfg(test)]
mod tests {
    use super::WarpValue;

    fn assert_kept<T: WarpValue + PartialEq + std::fmt::Debug>(values: &[T]) {
        for value in values {
            assert_eq!(T::from_lane(value.into_lane()), *value);
        }
    }

    #[test]
    fn values_are_kept() {
        assert_kept(&[i8::MIN, -1, 0, i8::MAX]);
        assert_kept(&[i64::MIN, -1, 0, i64::MAX]);
        assert_kept(&[0, u16::MAX]);
        assert_kept(&[0, usize::MAX]);
        assert_kept(&[-0.0, f32::MIN_POSITIVE, f32::INFINITY]);
        assert_kept(&[-0.0, f64::MAX, f64::NEG_INFINITY]);
        assert_kept(&[false, true]);
    }
}
