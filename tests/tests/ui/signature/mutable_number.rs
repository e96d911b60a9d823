//! A result goes into a slice.

use gpu_runtime::prelude::*;

#[gpu_kernel]
fn kernel(sum: &mut f64) {}

fn main() {}
