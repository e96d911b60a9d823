//! √(b² − 4ac) for 10,000 quadratic equations with host arrays, and with arrays that stay on the device.
//!
//! Three ways to write it: an array function, operators on arrays, and both mixed. Each runs as one kernel.
//!
//! ```sh
//! cargo run --release --example discriminant -- --n 10000
//! ```

use std::hint::black_box;

use gpu_examples::{Arguments, Comparison, Failure};
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
    let mut loop_result = vec![0.0; n];
    let mut plain = || {
        (0..n).for_each(|i| loop_result[i] = discriminant(a[i], b[i], c[i]));
        black_box(&loop_result);
    };
    let from_host = compared("host arrays", n, || discriminant::map(&a, &b, &c).on(&device).to_host(), &mut plain)?;

    // Arrays on the device: nothing is copied.
    let mut out = device.zeros::<f32>(n)?;
    let [on_device_a, on_device_b, on_device_c] = [&a, &b, &c].map(|array| device.to_device(array));
    let (on_device_a, on_device_b, on_device_c) = (on_device_a?, on_device_b?, on_device_c?);
    let on_device = || {
        discriminant::map(&on_device_a, &on_device_b, &on_device_c).collect_into(&mut out)?;
        device.synchronize()
    };
    compared("device arrays", n, on_device, &mut plain)?;

    // The same with operators. They also compute nothing until the result is collected.
    let with_operators = (&on_device_b * &on_device_b - 4.0 * &on_device_a * &on_device_c).sqrt().to_host()?;

    let out = out.to_host()?;
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

/// The result of `work`, with its speed compared with that of a loop. Both take turns, after a call that may compile.
fn compared<T>(what: &str, n: usize, mut work: impl FnMut() -> gpu_runtime::Result<T>, mut plain: impl FnMut()) -> gpu_runtime::Result<T> {
    let mut result = work()?;
    let mut comparison = Comparison::new("equations");
    for _ in 0..100 {
        result = comparison.time(n, &mut work)?;
        comparison.time_plain(n, &mut plain);
    }
    print!("{what}: {comparison}");
    Ok(result)
}
