//! Powers, shifts and bits of integers.

use crate::scalar::Integer;
use crate::vectorize;

/// `x` to this power. It wraps around.
#[vectorize]
pub fn pow<T: Integer>(x: T, exponent: u32) -> T {
    x.pow(exponent)
}

/// x · 2ⁿ without the bits that fall out. The amount is taken modulo the number of bits.
#[vectorize]
pub fn shl<T: Integer>(x: T, amount: u32) -> T {
    x << amount
}

/// x / 2ⁿ, rounded down. The amount is taken modulo the number of bits.
#[vectorize]
pub fn shr<T: Integer>(x: T, amount: u32) -> T {
    x >> amount
}

/// How many bits are 1.
#[vectorize]
pub fn count_ones<T: Integer>(x: T) -> u32 {
    x.count_ones()
}

/// How many bits from the top are 0.
#[vectorize]
pub fn leading_zeros<T: Integer>(x: T) -> u32 {
    x.leading_zeros()
}

/// How many bits from the bottom are 0.
#[vectorize]
pub fn trailing_zeros<T: Integer>(x: T) -> u32 {
    x.trailing_zeros()
}
