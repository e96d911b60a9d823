//! Adds two vectors of 4096 integers with 32 blocks of 128 threads: the first kernel to write.
//!
//! ```sh
//! cargo run --release --example add_kernel
//! ```

#![forbid(unsafe_code)]

use gpu_runtime::prelude::*;

/// Adds two vectors, one element per thread.
#[gpu_kernel]
fn add_kernel(x: &[i32], y: &[i32], out: &mut [i32]) {
    let i = grid_1d();
    if i < out.len() {
        out[i] = x[i] + y[i];
    }
}

fn main() -> gpu_runtime::Result<()> {
    let device = Device::best()?; // the first GPU, else this machine's CPU
    println!("running on {device}");

    let x: Vec<i32> = (0..4096).collect();
    let y: Vec<i32> = x.iter().map(|x| 10 * x).collect();
    let x = device.to_device(&x)?;
    let y = device.to_device(&y)?;
    let mut out = device.zeros::<i32>(4096)?;

    add_kernel(&x, &y, &mut out).launch(32, 128)?; // Numba: add_kernel[32, 128](x, y, out)

    let sum = out.to_host()?;
    for (i, element) in (0..).zip(&sum) {
        assert_eq!(*element, 11 * i, "element {i}");
    }
    println!("added 4096 elements: {:?} … {:?}", &sum[..4], &sum[4094..]);
    Ok(())
}
