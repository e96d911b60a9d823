//! Powers, shifts and bits of integers.

use crate::scalar::Integer;
use crate::vectorize;

/// `x` to this power. It wraps around.
#[vectorize]
pub fn pow<T: Integer>(x: T, exponent: u32) -> T {
    x.pow(exponent)
}

/// x · 2ⁿ, without the high bits that do not fit. The amount is taken modulo the number of bits.
#[vectorize]
pub fn shl<T: Integer>(x: T, amount: u32) -> T {
    x << amount
}

/// x / 2ⁿ, rounded down. The amount is taken modulo the number of bits.
#[vectorize]
pub fn shr<T: Integer>(x: T, amount: u32) -> T {
    x >> amount
}

/// The number of one bits.
#[vectorize]
pub fn count_ones<T: Integer>(x: T) -> u32 {
    x.count_ones()
}

/// The number of leading zero bits.
#[vectorize]
pub fn leading_zeros<T: Integer>(x: T) -> u32 {
    x.leading_zeros()
}

/// The number of trailing zero bits.
#[vectorize]
pub fn trailing_zeros<T: Integer>(x: T) -> u32 {
    x.trailing_zeros()
}
