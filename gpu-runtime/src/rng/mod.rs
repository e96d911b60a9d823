//! Random numbers in kernels, in array functions and on the host: the same numbers on every device.
//!
//! | generator | state | for |
//! |---|---|---|
//! | [Philox](philox) (`random_…`) | none: a number depends only on seed, stream and index | most uses: no state to create or store, random access to any number |
//! | [xoroshiro128+](xoroshiro) (`xoroshiro_…`, `xoroshiro128p_…`) | 16 bytes per thread, in an array | the same numbers as a Numba program with the same seed |
//!
//! ```
//! use gpu_runtime::prelude::*;
//! use gpu_runtime::rng::random_uniform_f64;
//!
//! /// Throws `throws` darts per thread at the unit square, and counts those that hit the quarter circle.
//! #[gpu_kernel]
//! fn throw_darts(seed: u64, throws: u64, hits: &mut [u32]) {
//!     let i = grid_1d();
//!     if i < hits.len() {
//!         let mut count = 0;
//!         for k in 0..throws {
//!             let x: f64 = random_uniform_f64(seed, 2 * i as u32, k);
//!             let y: f64 = random_uniform_f64(seed, 2 * i as u32 + 1, k);
//!             if x * x + y * y < 1.0 {
//!                 count += 1;
//!             }
//!         }
//!         hits[i] = count;
//!     }
//! }
//!
//! # fn main() -> gpu_runtime::Result<()> {
//! let device = Device::best()?;
//! let mut hits = device.zeros::<u32>(64)?;
//! throw_darts(42, 1000, &mut hits).forall(64)?;
//! let hits: u32 = hits.to_host()?.iter().sum();
//! let pi = 4.0 * f64::from(hits) / 64_000.0;
//! assert!((pi - std::f64::consts::PI).abs() < 0.03);
//! # Ok(())
//! # }
//! ```
//!
//! The functions are device functions and ordinary Rust functions. Integers and uniform numbers are the same on every device, bit for bit.
//! Normal numbers are computed with a logarithm and a cosine, and differ by a few ulps between a GPU and the CPU.

mod arrays;
mod distributions;
pub mod philox;
pub mod xoroshiro;

pub use arrays::{RandomArrays, RandomFloat};
pub use philox::*;
pub use xoroshiro::*;

#[cfg(test)]
mod tests;
