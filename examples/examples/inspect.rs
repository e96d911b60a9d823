//! What becomes of a kernel: its CUDA C, and a report of registers, occupancy and the checks that remain.
//!
//! ```sh
//! cargo run --release --example inspect
//! ```

#![forbid(unsafe_code)]

use gpu_runtime::prelude::*;

/// Adds to each element its right neighbour. The first index is in bounds because of the `if`; the second is checked.
#[gpu_kernel]
fn add_neighbour(x: &[f32], out: &mut [f32]) {
    let i = grid_1d();
    if i < out.len() {
        out[i] = x[i] + x[i + 1];
    }
}

fn main() -> gpu_runtime::Result<()> {
    let source = add_neighbour::cuda_source();
    assert!(source.contains("add_neighbour"), "the CUDA C has the name of the kernel");
    println!("{source}");
    match add_neighbour::report(&Device::best()?) {
        Ok(report) => println!("{report}"),
        Err(error) => println!("no report: {error}"),
    }
    Ok(())
}
