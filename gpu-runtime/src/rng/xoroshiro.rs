//! xoroshiro128+ by Blackman and Vigna, with Numba's sequence: the same seed gives the same numbers.
//!
//! A state is two `u64`. [`xoroshiro128p_states`] creates the states of many threads, each 2⁶⁴ numbers after the one before. A kernel keeps
//! them in an array between launches.
//!
//! | here | Numba |
//! |---|---|
//! | `device.to_device(&xoroshiro128p_states(n, seed, 0))?` | `create_xoroshiro128p_states(n, seed)` |
//! | `xoroshiro128p_uniform_f32(states, i)` | `xoroshiro128p_uniform_float32(states, i)` |
//! | `xoroshiro128p_normal_f64(states, i)` | `xoroshiro128p_normal_float64(states, i)` |
//! | `let (x, s0, s1) = xoroshiro_uniform_f32(s0, s1)` | |
//!
//! The functions `xoroshiro_…` take the halves of a state and return a number and the halves of the next state. With them, the kernel
//! itself reads and writes the array of states, so its launch is safe. The functions with `128p` take the array, as in Numba. The launch is
//! then `unsafe`: the caller must make sure that no other thread uses state `i`.
//!
//! ```
//! use gpu_runtime::prelude::*;
//! use gpu_runtime::rng::{xoroshiro128p_states, xoroshiro_uniform_f32};
//!
//! /// Replaces each element by the mean of `n` random numbers.
//! #[gpu_kernel]
//! fn means(states: &mut [u64], n: u32, out: &mut [f32]) {
//!     let i = grid_1d();
//!     if i < out.len() {
//!         let (mut s0, mut s1) = (states[2 * i], states[2 * i + 1]);
//!         let mut sum = 0.0f32;
//!         for _ in 0..n {
//!             let x: f32;
//!             (x, s0, s1) = xoroshiro_uniform_f32(s0, s1);
//!             sum += x;
//!         }
//!         out[i] = sum / n as f32;
//!         states[2 * i] = s0;
//!         states[2 * i + 1] = s1;
//!     }
//! }
//!
//! # fn main() -> gpu_runtime::Result<()> {
//! let device = Device::best()?;
//! let mut states = device.to_device(&xoroshiro128p_states(256, 1, 0))?;
//! let mut out = device.zeros::<f32>(256)?;
//! means(&mut states, 100, &mut out).forall(256)?;
//! assert!(out.to_host()?.iter().all(|mean| (0.3..0.7).contains(mean)));
//! # Ok(())
//! # }
//! ```

use crate::gpu_device;

/// The states of `n` generators, two numbers each. The first is the state of the seed, advanced by `first_subsequence` times 2⁶⁴ numbers.
/// Each of the others is 2⁶⁴ numbers after the one before, so that their sequences do not overlap.
///
/// Numba: `create_xoroshiro128p_states(n, seed, subsequence_start)`.
///
/// ```
/// use gpu_runtime::rng::xoroshiro128p_states;
///
/// assert_eq!(xoroshiro128p_states(2, 1, 0)[2..], [0x73c1_9a53_48fc_9098, 0x6c96_c932_f21d_71ee]);
/// ```
#[must_use]
pub fn xoroshiro128p_states(n: usize, seed: u64, first_subsequence: u64) -> Vec<u64> {
    let mut state = seeded(seed);
    for _ in 0..first_subsequence {
        state = jump(state);
    }
    let mut states = Vec::with_capacity(2 * n);
    for _ in 0..n {
        states.extend([state.0, state.1]);
        state = jump(state);
    }
    states
}

/// One step of SplitMix64, for both halves.
fn seeded(seed: u64) -> (u64, u64) {
    let z = seed.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    let z = z ^ z >> 31;
    (z, z)
}

/// The state 2⁶⁴ numbers later.
fn jump(state: (u64, u64)) -> (u64, u64) {
    let (mut sum, mut state) = ((0, 0), state);
    for half in [0xbeac_0467_eba5_facb_u64, 0xd86b_048b_86aa_9922] {
        for bit in 0..64 {
            if half >> bit & 1 == 1 {
                sum = (sum.0 ^ state.0, sum.1 ^ state.1);
            }
            let (_, s0, s1) = xoroshiro_next(state.0, state.1);
            state = (s0, s1);
        }
    }
    sum
}

/// 64 random bits, and the next state.
///
/// Numba: `xoroshiro128p_next`.
#[gpu_device]
pub fn xoroshiro_next(s0: u64, s1: u64) -> (u64, u64, u64) {
    let mixed = s0 ^ s1;
    (s0.wrapping_add(s1), s0.rotate_left(55) ^ mixed ^ (mixed << 14), mixed.rotate_left(36))
}

/// A number from 0 to 1, and the next state. One number in 2²⁵ is exactly 1, because a number of 53 bits is rounded.
///
/// Numba: `xoroshiro128p_uniform_float32`, with the same bits.
#[gpu_device]
pub fn xoroshiro_uniform_f32(s0: u64, s1: u64) -> (f32, u64, u64) {
    let (x, s0, s1): (f64, u64, u64) = xoroshiro_uniform_f64(s0, s1);
    (x as f32, s0, s1)
}

/// A number from 0 up to, but not including, 1, and the next state.
///
/// Numba: `xoroshiro128p_uniform_float64`, with the same bits.
#[gpu_device]
pub fn xoroshiro_uniform_f64(s0: u64, s1: u64) -> (f64, u64, u64) {
    let (bits, s0, s1): (u64, u64, u64) = xoroshiro_next(s0, s1);
    ((bits >> 11) as f64 * 1.110_223_024_625_156_5e-16, s0, s1)
}

/// A normal number with mean 0 and standard deviation 1, by Box and Muller from two uniform ones, and the next state.
///
/// Numba: `xoroshiro128p_normal_float32`, except for the last bits. As in Numba, one number in 2⁵³ is infinite.
#[gpu_device]
pub fn xoroshiro_normal_f32(s0: u64, s1: u64) -> (f32, u64, u64) {
    let (radius, s0, s1): (f32, u64, u64) = xoroshiro_uniform_f32(s0, s1);
    let (turn, s0, s1): (f32, u64, u64) = xoroshiro_uniform_f32(s0, s1);
    ((-2.0 * radius.ln()).sqrt() * (std::f32::consts::TAU * turn).cos(), s0, s1)
}

/// A normal number with mean 0 and standard deviation 1, by Box and Muller from two uniform ones, and the next state.
///
/// Numba: `xoroshiro128p_normal_float64`, to seven digits: Numba computes it from uniform numbers that it has rounded to `f32`. As in
/// Numba, one number in 2⁵³ is infinite.
#[gpu_device]
pub fn xoroshiro_normal_f64(s0: u64, s1: u64) -> (f64, u64, u64) {
    let (radius, s0, s1): (f64, u64, u64) = xoroshiro_uniform_f64(s0, s1);
    let (turn, s0, s1): (f64, u64, u64) = xoroshiro_uniform_f64(s0, s1);
    ((-2.0 * radius.ln()).sqrt() * (std::f64::consts::TAU * turn).cos(), s0, s1)
}

/// Declares the functions that advance a state in an array.
macro_rules! of_arrays {
    ($($(#[$doc:meta])* $name:ident $of_state:ident $T:ident;)*) => {
        $(
            $(#[$doc])*
            #[gpu_device]
            pub fn $name(states: &mut [u64], index: usize) -> $T {
                let (x, s0, s1): ($T, u64, u64) = $of_state(states[2 * index], states[2 * index + 1]);
                states[2 * index] = s0;
                states[2 * index + 1] = s1;
                x
            }
        )*
    };
}

of_arrays! {
    /// [`xoroshiro_next`] of state `index`, which is advanced. Numba: `xoroshiro128p_next`.
    xoroshiro128p_next xoroshiro_next u64;
    /// [`xoroshiro_uniform_f32`] of state `index`, which is advanced. Numba: `xoroshiro128p_uniform_float32`.
    xoroshiro128p_uniform_f32 xoroshiro_uniform_f32 f32;
    /// [`xoroshiro_uniform_f64`] of state `index`, which is advanced. Numba: `xoroshiro128p_uniform_float64`.
    xoroshiro128p_uniform_f64 xoroshiro_uniform_f64 f64;
    /// [`xoroshiro_normal_f32`] of state `index`, which is advanced. Numba: `xoroshiro128p_normal_float32`.
    xoroshiro128p_normal_f32 xoroshiro_normal_f32 f32;
    /// [`xoroshiro_normal_f64`] of state `index`, which is advanced. Numba: `xoroshiro128p_normal_float64`.
    xoroshiro128p_normal_f64 xoroshiro_normal_f64 f64;
}
