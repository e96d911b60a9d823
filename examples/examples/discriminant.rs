//! √(b² − 4ac) for 10,000 quadratic equations with host arrays, and with arrays that stay on the device.
//!
//! Three ways to write it: an array function, operators on arrays, and both mixed. Each runs as one kernel.
//!
//! ```sh
//! cargo run --release --example discriminant -- --n 10000
//! ```

use std::time::Instant;

use gpu_examples::{Arguments, Failure};
use gpu_runtime::prelude::*;

#[vectorize]
fn discriminant(a: f32, b: f32, c: f32) -> f32 {
    (b * b - 4.0 * a * c).sqrt()
}

fn main() -> Result<(), Failure> {
    let arguments = Arguments::parse("Computes √(b² − 4ac) for n equations.", &["--n"]);
    let device = arguments.device()?;
    let n = arguments.number("--n").unwrap_or(10_000);
    println!("computing √(b² − 4ac) for {n} equations on {device}");
    // a and c in [0, 1), b in [10, 11): every equation has two real roots.
    let spread = |factor: usize| (0..n).map(move |i| (i * factor % 10_007) as f32 / 10_007.0);
    let a: Vec<f32> = spread(7919).collect();
    let b: Vec<f32> = spread(104_729).map(|b| b + 10.0).collect();
    let c: Vec<f32> = spread(1_299_709).collect();

    // Host arrays: the inputs are copied to the device, and the result is copied back.
    let from_host = timed("host arrays", || discriminant::map(&a, &b, &c).on(&device).to_vec())?;

    // Arrays on the device: nothing is copied.
    let (a, b, c) = (device.to_device(&a)?, device.to_device(&b)?, device.to_device(&c)?);
    let mut out = device.zeros::<f32>(n)?;
    timed("device arrays", || {
        discriminant::map(&a, &b, &c).collect_into(&mut out)?;
        device.synchronize()
    })?;

    // The same with operators. They also compute nothing until the result is collected.
    let with_operators = (&b * &b - 4.0 * &a * &c).sqrt().to_vec()?;

    let (a, b, c, out) = (a.to_host()?, b.to_host()?, c.to_host()?, out.to_host()?);
    for i in 0..n {
        let exact = (f64::from(b[i]).powi(2) - 4.0 * f64::from(a[i]) * f64::from(c[i])).sqrt();
        for found in [from_host[i], out[i], with_operators[i]] {
            if (f64::from(found) - exact).abs() > 1e-6 * exact {
                return Err(format!("root {i} is {found}, not {exact}").into());
            }
        }
    }
    Ok(())
}

/// The result of the second call of `work`; the first call compiles.
fn timed<T>(what: &str, mut work: impl FnMut() -> gpu_runtime::Result<T>) -> gpu_runtime::Result<T> {
    work()?;
    let start = Instant::now();
    let result = work()?;
    println!("{what}: {:.1} µs", start.elapsed().as_secs_f64() * 1e6);
    Ok(result)
}
