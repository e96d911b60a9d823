//! Adds two large vectors of `f32`: a plain loop on one core against the kernel, with the copies it needs.
//!
//! ```sh
//! cargo run --release --example vector_add -- --n 100000000
//! ```

use std::hint::black_box;
use std::time::{Duration, Instant};

use gpu_examples::{Arguments, Failure};
use gpu_runtime::prelude::*;

#[gpu_kernel]
fn add(a: &[f32], b: &[f32], out: &mut [f32]) {
    let i = grid_1d();
    if i < out.len() {
        out[i] = a[i] + b[i];
    }
}

/// The same on the host, one element after the other.
fn add_in_a_loop(a: &[f32], b: &[f32], out: &mut [f32]) {
    for i in 0..out.len() {
        out[i] = a[i] + b[i];
    }
}

fn main() -> Result<(), Failure> {
    let arguments = Arguments::parse("Adds two vectors: a loop on one core against a kernel.", &["--n"]);
    let device = arguments.device()?;
    // Six such arrays have to fit in memory when the device is the CPU.
    let n = arguments.number("--n").unwrap_or(if device.is_gpu() { 100_000_000 } else { 10_000_000 });
    println!("adding {n} f32 on {device}");

    let a: Vec<f32> = (0..n).map(|i| (i % 1000) as f32).collect();
    let b: Vec<f32> = (0..n).map(|i| (i % 7) as f32 * 0.5).collect();
    let mut expected = vec![1.0; n]; // not zeros: the system hands out their pages on first use, inside the timed loop
    let mut sum = vec![1.0; n];

    let (loop_time, ()) = timed(|| add_in_a_loop(black_box(&a), black_box(&b), &mut expected));

    let (copy_in_time, on_device) = timed(|| Ok::<_, gpu_runtime::Error>((device.to_device(&a)?, device.to_device(&b)?)));
    let (a, b) = on_device?;
    let mut out = device.zeros::<f32>(n)?;
    let (first_time, launched) = timed(|| add(&a, &b, &mut out).forall(n).and_then(|()| device.synchronize()));
    launched?;
    let (kernel_time, launched) = timed(|| add(&a, &b, &mut out).forall(n).and_then(|()| device.synchronize()));
    launched?;
    let (copy_out_time, copied) = timed(|| out.copy_to_host(&mut sum));
    copied?;

    // Read a and b, write out.
    let gigabytes = (3 * n * size_of::<f32>()) as f64 / 1e9;
    let print = |what: &str, time: Duration| println!("{what:<28}{:>10.3} ms", time.as_secs_f64() * 1e3);
    print("loop on one core", loop_time);
    print("kernel, first launch", first_time);
    println!("{:<28}{:>10.3} ms = {:.1} GB/s", "kernel", kernel_time.as_secs_f64() * 1e3, gigabytes / kernel_time.as_secs_f64());
    print("copying both inputs in", copy_in_time);
    print("copying the result out", copy_out_time);

    match expected.iter().zip(&sum).position(|(expected, found)| expected != found) {
        None => println!("all {n} elements agree"),
        Some(i) => return Err(format!("element {i} is {}, not {}", sum[i], expected[i]).into()),
    }
    Ok(())
}

fn timed<T>(work: impl FnOnce() -> T) -> (Duration, T) {
    let start = Instant::now();
    let result = work();
    (start.elapsed(), result)
}
