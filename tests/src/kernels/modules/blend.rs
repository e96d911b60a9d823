//! A device function in a file of its name.

use gpu_runtime::prelude::*;

/// Between `a` and `b`.
#[gpu_device]
pub(super) fn blend(a: f32, b: f32, t: f32) -> f32 {
    let rest = 1.0 - t;
    a * rest + b * t
}

/// It has its name here too.
#[gpu_device]
pub(super) fn halfway(a: f32, b: f32) -> f32 {
    blend(a, b, 0.5)
}
