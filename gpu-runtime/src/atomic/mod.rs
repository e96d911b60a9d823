//! Atomics of floats, and operations of CUDA's atomics that std lacks.
//!
//! Kernels share memory through std's own atomic types: a parameter `counts: &[AtomicU32]`, an array `shared::<[AtomicU32; 256]>()`, and
//! methods such as `counts[i].fetch_add(1, Ordering::Relaxed)`. [`AtomicF32`] and [`AtomicF64`] are types that std lacks; [`Atomic`] and
//! [`AtomicCounter`] add methods to all atomics. All of them work in ordinary Rust as well.
//!
//! ```
//! use gpu_runtime::prelude::*;
//! use std::sync::atomic::{AtomicU32, Ordering};
//!
//! /// Counts how often each value occurs.
//! #[gpu_kernel]
//! fn histogram(x: &[u8], counts: &[AtomicU32]) {
//!     let i = grid_1d();
//!     if i < x.len() {
//!         counts[x[i] as usize].fetch_add(1, Ordering::Relaxed);
//!     }
//! }
//!
//! let device = Device::cpu();
//! let x = device.to_device(&[3u8, 1, 3, 3])?;
//! let mut counts = device.zeros::<u32>(256)?;
//! histogram(&x, &mut counts).forall(x.len())?;
//! assert_eq!(counts.to_host()?[..5], [0, 1, 0, 3, 0]);
//! # Ok::<(), gpu_runtime::Error>(())
//! ```

mod extension;
mod float;

pub use extension::{Atomic, AtomicCounter, AtomicOf};
#[cfg(feature = "half")]
pub use float::{AtomicBf16, AtomicF16};
pub use float::{AtomicF32, AtomicF64};
