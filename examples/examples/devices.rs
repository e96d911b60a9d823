//! Prints what this machine has installed to run kernels and what is missing, and runs a kernel on each device.
//!
//! ```sh
//! cargo run --release --example devices
//! ```

use gpu_examples::Failure;
use gpu_runtime::prelude::*;

#[gpu_kernel]
fn square(x: &mut [u32]) {
    let i = grid_1d();
    if i < x.len() {
        x[i] = x[i] * x[i];
    }
}

/// The squares of the numbers below 1000, computed on `device`.
fn squares(device: &Device) -> gpu_runtime::Result<Vec<u32>> {
    let mut x = device.to_device(&(0..1000).collect::<Vec<u32>>())?;
    square(&mut x).forall(1000)?;
    x.to_host()
}

fn main() -> Result<(), Failure> {
    println!("{}\n", gpu_runtime::diagnostics());

    let mut broken = 0;
    for device in Device::all() {
        match squares(&device) {
            Ok(found) if found.iter().zip(0..1000u32).all(|(found, x)| *found == x * x) => println!("{device}: runs kernels"),
            Ok(_) => {
                println!("{device}: gives wrong results");
                broken += 1;
            }
            Err(error) => {
                println!("{device}: {error}");
                broken += 1;
            }
        }
    }
    println!("`Device::best()` is {}", Device::best()?);
    if broken == 0 { Ok(()) } else { Err(format!("{broken} of the devices cannot run kernels").into()) }
}
