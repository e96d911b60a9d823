//! An atomic in a view is no value either.

use gpu_runtime::prelude::*;
use std::sync::atomic::AtomicU32;

#[gpu_kernel]
fn kernel(counts: View<AtomicU32, 2>) {
    let i = grid_1d();
    let count = counts[[i, i]];
}

fn main() -> gpu_runtime::Result<()> {
    let mut counts = Device::cpu().zeros::<u32>([8, 8])?;
    kernel(&mut counts).launch(1, 8)
}
