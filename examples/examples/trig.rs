//! cos²x + sin²x for ten million numbers: one kernel, although the formula has five operations.
//!
//! ```sh
//! cargo run --release --example trig -- --n 10000000
//! ```

use std::time::Instant;

use gpu_examples::{Arguments, Failure};
use gpu_runtime::prelude::*;

#[vectorize]
fn trig(x: f32) -> f32 {
    x.cos().powi(2) + x.sin().powi(2)
}

fn main() -> Result<(), Failure> {
    let arguments = Arguments::parse("Computes cos²x + sin²x for n numbers.", &["--n"]);
    let device = arguments.device()?;
    let n = arguments.number("--n").unwrap_or(10_000_000);
    println!("computing cos²x + sin²x for x = 0 … {} on {device}", n - 1);
    let x = device.to_device(&(0..n).map(|i| i as f32).collect::<Vec<_>>())?;
    let mut ones = device.zeros::<f32>(n)?;
    // The first call compiles the kernel.
    trig::map(&x).collect_into(&mut ones)?;
    device.synchronize()?;

    let start = Instant::now();
    trig::map(&x).collect_into(&mut ones)?;
    device.synchronize()?;
    println!("{:.3} ms", start.elapsed().as_secs_f64() * 1e3);

    let worst = ones.to_host()?.into_iter().map(|one| (one - 1.0).abs()).fold(0.0, f32::max);
    println!("largest error: {worst:e}");
    if worst < 1e-6 { Ok(()) } else { Err(format!("a result is {worst} from 1").into()) }
}
