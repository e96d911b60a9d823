//! Functions and constants that kernels and lazy arrays of another crate use.
//!
//! It forbids lints that generated code could set off: under a `forbid`, an `allow` in there would not compile.

#![forbid(missing_docs, trivial_casts, trivial_numeric_casts, unused_qualifications)]

use gpu::prelude::*;

/// What [`scaled`] multiplies by.
pub const SCALE: i32 = 3;

/// A constant of its own crate in a device function of its own crate.
#[gpu_device]
pub fn scaled(x: i32) -> i32 {
    x * SCALE
}

/// Functions one module further in.
pub mod inner {
    use gpu::prelude::*;

    /// Shares its name with a device function of the tests.
    #[gpu_device]
    pub fn combine(a: u32, b: u32) -> u32 {
        a * 1000u32 + b
    }

    /// Calls another device function by a relative path.
    #[gpu_device]
    pub fn scaled_twice(x: i32) -> i32 {
        super::scaled(super::scaled(x))
    }
}

/// A function of arrays, with a device function and a constant of its own crate.
#[vectorize]
pub fn scaled_sum(a: i32, b: i32) -> i32 {
    scaled(a) + b
}

/// Folds arrays of any numbers.
#[reduce(identity = T::ZERO)]
pub fn total<T: Num>(a: T, b: T) -> T {
    a + b
}

/// A number of rows, of a type that other crates' kernels do not see.
#[derive(Debug, Clone, Copy, DeviceType)]
#[repr(C)]
pub struct Rows {
    /// How many.
    pub count: usize,
}

/// A type with functions.
#[derive(Debug, Clone, Copy, PartialEq, DeviceType)]
#[repr(C)]
pub struct Span {
    /// The first.
    pub start: u32,
    /// One past the last.
    pub end: u32,
}

/// What has a length.
#[gpu_device]
pub trait Measured {
    /// The length.
    fn length(self) -> u32;
}

#[gpu_device]
impl Measured for Span {
    fn length(self) -> u32 {
        self.end - self.start
    }
}

#[gpu_device]
impl Span {
    /// One that is `by` longer.
    pub fn grown(mut self, by: u32) -> Span {
        self.end += by;
        self
    }
}

/// The lengths of `spans`, of which each grows by its number.
#[gpu_kernel]
pub fn lengths(spans: &[Span], out: &mut [u32]) {
    let i = grid_1d();
    if i < spans.len() && i < out.len() {
        out[i] = spans[i].grown(i as u32).length();
    }
}

/// The sums of the rows.
#[guvectorize("(n)->()")]
pub fn row_sum(x: &[f32]) -> f32 {
    let mut sum = 0.0;
    for &value in x {
        sum += value;
    }
    sum
}
