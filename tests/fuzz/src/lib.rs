//! Differential fuzzing of the kernel language.
//!
//! The build script writes random kernels. Each is there three times: as plain Rust, as a kernel's twin, and as CUDA C, which runs
//! through the host's C++ compiler or on a GPU. Run on the same random values, all must leave the same bits, or fail at the same line.
//!
//! ```text
//! cargo test -p gpu-fuzz               # the same few kernels every time
//! scripts/fuzz.sh {1..34}              # 300 kernels of each seed, faster
//! ```
//!
//! Gradients of kernels are compared with those of plain Rust by dual numbers.
//!
//! What is not the same everywhere is not in them: mathematical functions, the bits of a `NaN`, the order of atomics of floats.

#[allow(dead_code, reason = "the seed decides which operations the random programs have")]
mod dual;
mod outcome;
#[allow(dead_code, reason = "likewise")]
mod plane;
#[allow(dead_code, reason = "likewise")]
mod team;
#[allow(dead_code, reason = "likewise")]
mod tile;
mod values;

#[allow(unused_imports, reason = "likewise")]
use dual::{Dual, stop_gradient};
#[allow(unused_imports, reason = "likewise")]
use plane::Plane;
#[allow(unused_imports, reason = "likewise")]
use team::{Shared, Team};
#[allow(unused_imports, reason = "likewise")]
use tile::Tile;

pub use outcome::{Outcome, silence_generated_panics};
pub use values::{Random, Values};

use gpu_tests::bench::Bench;

/// A kernel, as three implementations of it.
pub struct Case {
    /// `k17`.
    pub name: &'static str,
    /// Runs the kernel on a bench.
    pub kernel: fn(&Bench, Values) -> Outcome,
    /// Runs it as plain Rust.
    pub plain: fn(Values) -> Outcome,
}

/// The generated kernels.
#[allow(warnings, unconditional_panic, arithmetic_overflow, overflowing_literals, clippy::all)]
#[rustfmt::skip]
pub mod kernels {
    use super::Random;
    use fastrand::Rng;
    use gpu_runtime::gradient::stop_gradient;
    use gpu_runtime::prelude::*;
    use half::{bf16, f16};
    use std::sync::atomic::*;
    include!(concat!(env!("OUT_DIR"), "/kernels.rs"));
}

#[allow(warnings, unconditional_panic, arithmetic_overflow, overflowing_literals, clippy::all)]
#[rustfmt::skip]
mod plain {
    use super::{Dual, Plane, Random, Shared, Team, Tile, stop_gradient};
    use fastrand::Rng;
    use gpu_runtime::prelude::{Float, Integer, Num, Signed};
    use half::{bf16, f16};
    use std::sync::atomic::*;
    include!(concat!(env!("OUT_DIR"), "/plain.rs"));
}

#[allow(warnings, clippy::all)]
#[rustfmt::skip]
mod cases {
    use super::dual::gradient;
    use super::plane::Plane;
    use super::team::{Shared, run_team};
    use super::{Bench, Case, Outcome, Values};
    use gpu_tests::bench::{view, view_mut};
    use half::{bf16, f16};
    use std::sync::atomic::*;
    include!(concat!(env!("OUT_DIR"), "/cases.rs"));
}

pub use cases::CASES;
