//! A kernel in a file of its name.

use gpu_runtime::prelude::*;

/// Multiplies each element.
#[gpu_kernel]
pub(super) fn scale(x: &mut [f32], by: f32) {
    let i = grid_1d();
    if i < x.len() {
        x[i] *= by;
    }
}
