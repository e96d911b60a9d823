//! SELU, an activation function of neural networks, of a million numbers: JAX's first example, in one line of operators.
//!
//! selu(x) = λx for x > 0, and λα(eˣ − 1) otherwise.
//! Source: Klambauer et al., *Self-Normalizing Neural Networks*, 2017, section 2.
//!
//! ```sh
//! cargo run --release --example selu -- --n 1000000
//! ```

use std::hint::black_box;

use gpu_examples::{Arguments, Comparison, Failure};
use gpu_runtime::prelude::*;

const ALPHA: f32 = 1.673_263_2;
const LAMBDA: f32 = 1.050_701;

/// The same as an array function, which kernels and ordinary Rust can call too.
#[vectorize]
fn selu(x: f32) -> f32 {
    LAMBDA * if x > 0.0 { x } else { ALPHA * (x.exp() - 1.0) }
}

fn main() -> Result<(), Failure> {
    let arguments = Arguments::parse("Computes SELU of n numbers.", &["--n"]);
    let device = arguments.device()?;
    let n = arguments.number("--n").unwrap_or(1_000_000);
    println!("computing SELU of {n} f32 on {device}");
    let host: Vec<f32> = (0..n).map(|i| i as f32 / n as f32 * 10.0 - 5.0).collect();
    let x = device.to_device(&host)?;

    let lazy = LAMBDA * lazy(&x).gt(0.0).select(&x, ALPHA * (lazy(&x).exp() - 1.0));
    let mut out = device.zeros::<f32>(n)?;
    // The first call compiles the kernel.
    lazy.collect_into(&mut out)?;
    device.synchronize()?;
    let mut comparison = Comparison::new("numbers");
    let mut plain = vec![0.0; n];
    for _ in 0..10 {
        comparison.time(n, || {
            lazy.collect_into(&mut out)?;
            device.synchronize()
        })?;
        comparison.time_plain(n, || {
            plain.iter_mut().zip(&host).for_each(|(out, &x)| *out = selu(x));
            black_box(&plain);
        });
    }
    print!("{comparison}");

    let (by_operators, by_function) = (out.to_host()?, selu::map(&x).to_host()?);
    for (i, &x) in host.iter().enumerate() {
        let exact = f64::from(LAMBDA) * if x > 0.0 { f64::from(x) } else { f64::from(ALPHA) * f64::from(x).exp_m1() };
        for found in [by_operators[i], by_function[i], selu(x)] {
            if (f64::from(found) - exact).abs() > 1e-6 {
                return Err(format!("selu({x}) is {found}, not {exact}").into());
            }
        }
    }
    Ok(())
}
