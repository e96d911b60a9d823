//! What becomes of a kernel: its CUDA C, and a report of registers, occupancy and the checks that remain.
//!
//! ```sh
//! cargo run --release --example inspect
//! ```

#![forbid(unsafe_code)]

use gpu_runtime::prelude::*;

/// Adds to each element its right neighbour. The indices of `x` are checked, unless the launch shows that `x` is longer than `out`.
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
    let device = Device::best()?;
    match add_neighbour::report(&device) {
        Ok(report) => println!("{report}"),
        Err(error) => println!("no report: {error}"),
    }
    let x = device.to_device(&[1.0, 2.0, 4.0])?;
    let mut out = device.zeros::<f32>(2)?;
    add_neighbour(&x, &mut out).launch(1, 32)?;
    assert_eq!(out.to_host()?, [3.0, 6.0]);
    Ok(())
}
