//! Adds two arrays of 100 million numbers (on the CPU ten million) with an array function: Numba's first example of
//! `@vectorize`.
//!
//! Once with arrays that stay on the device, and once from `Vec`s to a `Vec`: then the arrays pass through the GPU in
//! chunks, so that copies in, additions and copies out happen at the same time.
//!
//! ```sh
//! cargo run --release --example vectorize_add -- --n 100000000
//! ```

use std::time::Instant;

use gpu_examples::{Arguments, Failure};
use gpu_runtime::prelude::*;

#[vectorize]
fn add(a: f32, b: f32) -> f32 {
    a + b
}

fn main() -> Result<(), Failure> {
    let arguments = Arguments::parse("Adds two arrays of n numbers.", &["--n"]);
    let device = arguments.device()?;
    let n = arguments.number("--n").unwrap_or(if device.is_gpu() { 100_000_000 } else { 10_000_000 });
    println!("adding two arrays of {n} f32 on {device}");
    let x: Vec<f32> = (0..n).map(|i| (i % 65_536) as f32).collect();
    let y: Vec<f32> = (0..n).map(|i| (i % 1000) as f32).collect();

    // It is still a function of two numbers.
    assert_eq!(add(1.5, 2.0), 3.5);

    let (device_x, device_y) = (device.to_device(&x)?, device.to_device(&y)?);
    let mut sum = device.zeros::<f32>(n)?;
    // The first call compiles the kernel.
    add::map(&device_x, &device_y).collect_into(&mut sum)?;
    device.synchronize()?;
    let start = Instant::now();
    add::map(&device_x, &device_y).collect_into(&mut sum)?;
    device.synchronize()?;
    report("on the device", start, n);

    let mut host_sum = vec![0.0; n];
    add::map(&x, &y).on(&device).collect_into(&mut host_sum)?;
    let start = Instant::now();
    add::map(&x, &y).on(&device).collect_into(&mut host_sum)?;
    report("from host to host", start, n);

    for (name, found) in [("on the device", &sum.to_host()?), ("from host to host", &host_sum)] {
        // The same function, called on the numbers.
        if let Some(i) = (0..n).find(|&i| found[i] != add(x[i], y[i])) {
            return Err(format!("{name}, sum {i} is {}, not {}", found[i], add(x[i], y[i])).into());
        }
    }
    Ok(())
}

fn report(what: &str, start: Instant, n: usize) {
    let seconds = start.elapsed().as_secs_f64();
    println!("{what}: {:.3} ms, {:.1} GB/s read and written", seconds * 1e3, 12.0 * n as f64 / seconds / 1e9);
}
