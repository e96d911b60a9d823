//! Functions and constants that kernels and lazy arrays of another crate use.

use gpu_runtime::prelude::*;

/// What [`scaled`] multiplies by.
pub const SCALE: i32 = 3;

/// A constant of its own crate in a device function of its own crate.
#[gpu_device]
pub fn scaled(x: i32) -> i32 {
    x * SCALE
}

/// Functions one module further in.
pub mod inner {
    use gpu_runtime::prelude::*;

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
