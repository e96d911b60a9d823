//! cos²x + sin²x for ten million numbers: one kernel, although the formula has five operations.
//!
//! ```sh
//! cargo run --release --example trig -- --n 10000000
//! ```

use std::hint::black_box;

use gpu_examples::{Arguments, Comparison, Failure};
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
    let host: Vec<f32> = (0..n).map(|i| i as f32).collect();
    let x = device.to_device(&host)?;
    let mut ones = device.zeros::<f32>(n)?;
    // The first call compiles the kernel.
    trig::map(&x).collect_into(&mut ones)?;
    device.synchronize()?;

    let mut comparison = Comparison::new("numbers");
    let mut plain = vec![0.0; n];
    for _ in 0..3 {
        comparison.time(n, || {
            trig::map(&x).collect_into(&mut ones)?;
            device.synchronize()
        })?;
        comparison.time_plain(n, || {
            plain.iter_mut().zip(&host).for_each(|(one, &x)| *one = trig(x));
            black_box(&plain);
        });
    }
    print!("{comparison}");

    let worst = ones.to_host()?.into_iter().map(|one| (one - 1.0).abs()).fold(0.0, f32::max);
    println!("largest error: {worst:e}");
    if worst < 1e-6 { Ok(()) } else { Err(format!("a result is {worst} from 1").into()) }
}
