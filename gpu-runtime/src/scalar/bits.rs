//! Operations on the bits of integers that GPUs have and std lacks.

use crate::ops::arithmetic::sealed::Sealed;

/// Operations of CUDA on the bits of any integer that std lacks.
///
/// The prelude brings it into scope, and [`Integer`](crate::Integer) includes it.
///
/// ```
/// use gpu_runtime::prelude::*;
///
/// /// A number below `n` from 32 random bits, without a division.
/// #[gpu_device]
/// fn below(bits: u32, n: u32) -> u32 {
///     bits.mul_hi(n)
/// }
///
/// #[gpu_kernel]
/// fn rolls(bits: &[u32], out: &mut [u32]) {
///     let i = grid_1d();
///     if i < out.len() {
///         out[i] = below(bits[i], 6) + 1;
///     }
/// }
///
/// assert_eq!(below(0x8000_0000, 6), 3);
/// assert_eq!(0xaau8.funnel_shift_left(0xf0, 4), 0xaf);
/// ```
#[diagnostic::on_unimplemented(message = "`{Self}` is not an integer", label = "not an integer")]
pub trait DeviceBits: Sized + Copy + Sealed {
    /// The upper half of the product, which has twice the bits. CUDA: `__mulhi`, `__umulhi`, `__mul64hi`, `__umul64hi`.
    fn mul_hi(self, other: Self) -> Self;
    /// The upper half of `self` followed by `low`, shifted left by `amount` modulo the number of bits. CUDA: `__funnelshift_l`.
    fn funnel_shift_left(self, low: Self, amount: u32) -> Self;
    /// The lower half of `self` followed by `low`, shifted right by `amount` modulo the number of bits. CUDA: `__funnelshift_r`.
    fn funnel_shift_right(self, low: Self, amount: u32) -> Self;
    /// Half the sum, without overflow of the sum, rounded down. CUDA: `__hadd`, `__uhadd`.
    fn average_floor(self, other: Self) -> Self;
    /// Half the sum, without overflow of the sum, rounded up. CUDA: `__rhadd`, `__urhadd`.
    fn average_ceil(self, other: Self) -> Self;
}

macro_rules! device_bits {
    ($($T:ident: $Unsigned:ident, $Wide:ident;)*) => {
        $(impl DeviceBits for $T {
            #[inline]
            fn mul_hi(self, other: Self) -> Self {
                ((self as $Wide * other as $Wide) >> Self::BITS) as Self
            }

            #[inline]
            fn funnel_shift_left(self, low: Self, amount: u32) -> Self {
                match amount % Self::BITS {
                    0 => self,
                    left => self << left | (low as $Unsigned >> (Self::BITS - left)) as Self,
                }
            }

            #[inline]
            fn funnel_shift_right(self, low: Self, amount: u32) -> Self {
                match amount % Self::BITS {
                    0 => low,
                    right => (low as $Unsigned >> right) as Self | self << (Self::BITS - right),
                }
            }

            // A sum is what two numbers have in common twice, and what they differ in once.
            #[inline]
            fn average_floor(self, other: Self) -> Self {
                (self & other).wrapping_add((self ^ other) >> 1)
            }

            #[inline]
            fn average_ceil(self, other: Self) -> Self {
                (self | other).wrapping_sub((self ^ other) >> 1)
            }
        })*
    };
}

device_bits! {
    i8: u8, i16; i16: u16, i32; i32: u32, i64; i64: u64, i128; isize: usize, i128;
    u8: u8, u16; u16: u16, u32; u32: u32, u64; u64: u64, u128; usize: usize, u128;
}

/// Operations of CUDA on 32-bit integers only. The prelude brings it into scope.
///
/// ```
/// use gpu_runtime::prelude::*;
///
/// assert_eq!(0x0100_0003u32.mul24(0x0200_0005), 15);
/// assert_eq!((-3i32).mul24(5), -15);
/// ```
#[diagnostic::on_unimplemented(message = "`{Self}` is not an integer of 32 bits", label = "not `i32` or `u32`")]
pub trait DeviceInt32: Sized + Copy + Sealed {
    /// The product of the lowest 24 bits, of `i32` with the sign that the highest of these has, modulo 2³². CUDA: `__mul24`, `__umul24`.
    fn mul24(self, other: Self) -> Self;
}

impl DeviceInt32 for u32 {
    #[inline]
    fn mul24(self, other: u32) -> u32 {
        (self & 0x00ff_ffff).wrapping_mul(other & 0x00ff_ffff)
    }
}

impl DeviceInt32 for i32 {
    #[inline]
    fn mul24(self, other: i32) -> i32 {
        (self << 8 >> 8).wrapping_mul(other << 8 >> 8)
    }
}

/// Operations of CUDA on a `u32` as four bytes. The prelude brings it into scope.
///
/// ```
/// use gpu_runtime::prelude::*;
///
/// assert_eq!(0x3322_1100u32.byte_permute(0x7766_5544, 0x0725), 0x0077_2255);
/// assert_eq!(0x0102_0304u32.dot4_unsigned(0x0101_0101, 100), 110);
/// assert_eq!(0xff02_0304u32.dot4_signed(0x0101_0101, -10), -2);
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not four bytes",
    label = "not a `u32`",
    note = "convert it first: `x as u32`; of a `u64`, take each half, `x as u32` and `(x >> 32) as u32`"
)]
pub trait DeviceWord: Sized + Copy + Sealed {
    /// Four of the eight bytes of `self` (numbers 0 to 3, from the lowest) and `other` (4 to 7): those whose numbers are in the lowest
    /// three bits of the four lowest half-bytes of `selectors`, the first as the lowest byte. CUDA: `__byte_perm`.
    fn byte_permute(self, other: Self, selectors: Self) -> Self;
    /// `sum` and the products of the bytes of `self` with those of `other`, modulo 2³². CUDA: `__dp4a` of unsigned numbers.
    fn dot4_unsigned(self, other: Self, sum: Self) -> Self;
    /// `sum` and the products of the bytes of `self` with those of `other`, each byte from -128 to 127; it wraps around. CUDA: `__dp4a` of
    /// signed numbers.
    fn dot4_signed(self, other: Self, sum: i32) -> i32;
}

impl DeviceWord for u32 {
    #[inline]
    fn byte_permute(self, other: u32, selectors: u32) -> u32 {
        let bytes = (u64::from(other) << 32 | u64::from(self)).to_le_bytes();
        u32::from_le_bytes([0, 4, 8, 12].map(|shift| bytes[(selectors >> shift & 7) as usize]))
    }

    #[inline]
    fn dot4_unsigned(self, other: u32, sum: u32) -> u32 {
        let products = self.to_le_bytes().into_iter().zip(other.to_le_bytes()).map(|(a, b)| u32::from(a) * u32::from(b));
        products.fold(sum, u32::wrapping_add)
    }

    #[inline]
    fn dot4_signed(self, other: u32, sum: i32) -> i32 {
        let signed = |byte: u8| i32::from(byte as i8);
        let products = self.to_le_bytes().into_iter().zip(other.to_le_bytes()).map(|(a, b)| signed(a) * signed(b));
        products.fold(sum, i32::wrapping_add)
    }
}
