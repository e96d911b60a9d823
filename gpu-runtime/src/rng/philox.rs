//! Philox4x32-10: random numbers without state, by Salmon, Moraes, Dror and Shaw, "Parallel random numbers: as easy as 1, 2, 3"
//! (2011).
//!
//! Ten rounds of multiplications scramble a 128-bit counter with a 64-bit key. Here the key is the seed, and the counter is `index` of
//! `stream`. So each thread can take any number, and numbers that differ in seed, stream or index are independent.
//!
//! CUDA: `curand_Philox4x32_10`.

use crate::{gpu_device, vectorize};

/// Ten rounds of Philox: 128 random bits for each counter of 128 bits and key of 64.
///
/// ```
/// use gpu_runtime::rng::philox4x32;
///
/// assert_eq!(philox4x32(0, 0, 0, 0, 0, 0), (0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8));
/// ```
#[gpu_device]
pub fn philox4x32(counter_0: u32, counter_1: u32, counter_2: u32, counter_3: u32, key_0: u32, key_1: u32) -> (u32, u32, u32, u32) {
    let (mut a, mut b, mut c, mut d) = (counter_0, counter_1, counter_2, counter_3);
    let (mut first, mut second) = (key_0, key_1);
    for _ in 0..10 {
        let (left, right) = (a.mul_hi(0xd251_1f53u32), c.mul_hi(0xcd9e_8d57u32));
        (a, b, c, d) = (right ^ b ^ first, c.wrapping_mul(0xcd9e_8d57u32), left ^ d ^ second, a.wrapping_mul(0xd251_1f53u32));
        first = first.wrapping_add(0x9e37_79b9u32);
        second = second.wrapping_add(0xbb67_ae85u32);
    }
    (a, b, c, d)
}

/// 128 random bits: number `index` of `stream`.
///
/// ```
/// use gpu_runtime::rng::random_bits;
///
/// assert_eq!(random_bits(7, 0, 1), random_bits(7, 0, 1));
/// assert_ne!(random_bits(7, 0, 1), random_bits(7, 1, 1));
/// ```
#[gpu_device]
pub fn random_bits(seed: u64, stream: u32, index: u64) -> (u32, u32, u32, u32) {
    philox4x32(index as u32, (index >> 32) as u32, stream, 0, seed as u32, (seed >> 32) as u32)
}

/// 32 random bits: the first of [`random_bits`].
#[vectorize]
pub fn random_u32(seed: u64, stream: u32, index: u64) -> u32 {
    let (a, _, _, _): (u32, u32, u32, u32) = random_bits(seed, stream, index);
    a
}

/// 64 random bits: the first of [`random_bits`].
#[vectorize]
pub fn random_u64(seed: u64, stream: u32, index: u64) -> u64 {
    let (a, b, _, _): (u32, u32, u32, u32) = random_bits(seed, stream, index);
    (b as u64) << 32 | a as u64
}

/// A number from 0 up to, but not including, 1: a multiple of 2⁻²⁴.
///
/// It is an array function as well, so that an array of random numbers needs no kernel:
///
/// ```
/// use gpu_runtime::prelude::*;
/// use gpu_runtime::rng::random_uniform_f32;
///
/// # fn main() -> gpu_runtime::Result<()> {
/// let device = Device::best()?;
/// let x = random_uniform_f32::map(42, 0, iota(1000).cast::<u64>()).on(&device).collect()?.to_host()?;
/// assert_eq!(x[5], random_uniform_f32(42, 0, 5));
/// # Ok(())
/// # }
/// ```
#[vectorize]
pub fn random_uniform_f32(seed: u64, stream: u32, index: u64) -> f32 {
    let (a, _, _, _): (u32, u32, u32, u32) = random_bits(seed, stream, index);
    (a >> 8) as f32 * 5.960_464_5e-8
}

/// A number from 0 up to, but not including, 1: a multiple of 2⁻⁵³.
#[vectorize]
pub fn random_uniform_f64(seed: u64, stream: u32, index: u64) -> f64 {
    let (a, b, _, _): (u32, u32, u32, u32) = random_bits(seed, stream, index);
    (((b as u64) << 32 | a as u64) >> 11) as f64 * 1.110_223_024_625_156_5e-16
}

/// A normal number with mean 0 and standard deviation 1, by Box and Muller.
#[vectorize]
pub fn random_normal_f32(seed: u64, stream: u32, index: u64) -> f32 {
    let (a, b, _, _): (u32, u32, u32, u32) = random_bits(seed, stream, index);
    // From 1 down to 2⁻²⁴: a logarithm of 0 cannot be.
    let (radius, turn) = (1.0 - (a >> 8) as f32 * 5.960_464_5e-8, (b >> 8) as f32 * 5.960_464_5e-8);
    (-2.0 * radius.ln()).sqrt() * (2.0 * turn).cos_pi()
}

/// A normal number with mean 0 and standard deviation 1, by Box and Muller.
#[vectorize]
pub fn random_normal_f64(seed: u64, stream: u32, index: u64) -> f64 {
    let (a, b, c, d): (u32, u32, u32, u32) = random_bits(seed, stream, index);
    let radius = 1.0 - (((b as u64) << 32 | a as u64) >> 11) as f64 * 1.110_223_024_625_156_5e-16;
    let turn = (((d as u64) << 32 | c as u64) >> 11) as f64 * 1.110_223_024_625_156_5e-16;
    (-2.0 * radius.ln()).sqrt() * (2.0 * turn).cos_pi()
}
