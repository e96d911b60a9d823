//! Prices of a million European options by the Black–Scholes formula: an array function with two results.
//!
//! The formula for the cumulative normal distribution is from Abramowitz and Stegun, *Handbook of Mathematical Functions*, 26.2.17; its
//! error is below 7.5 · 10⁻⁸.
//!
//! ```sh
//! cargo run --release --example black_scholes -- --n 1000000
//! ```

use gpu_examples::{Arguments, Comparison, Failure};
use gpu_runtime::prelude::*;

/// Interest without risk, and how much the price of the stock moves: shares of one in a year.
const RATE: f64 = 0.02;
const VOLATILITY: f64 = 0.30;

/// The probability that a standard normal variable is below `d`.
#[gpu_device]
fn cumulative_normal(d: f64) -> f64 {
    let k = 1.0 / (1.0 + 0.231_641_9 * d.abs());
    let polynomial = k * (0.319_381_530 + k * (-0.356_563_782 + k * (1.781_477_937 + k * (-1.821_255_978 + k * 1.330_274_429))));
    let tail = 0.398_942_280_401_432_7 * (-0.5 * d * d).exp() * polynomial;
    if d > 0.0 { 1.0 - tail } else { tail }
}

/// The prices of a call and of a put for a stock at `stock`, to be bought or sold at `strike` after `years`.
#[vectorize]
fn black_scholes(stock: f64, strike: f64, years: f64) -> (f64, f64) {
    let spread = VOLATILITY * years.sqrt();
    let d1 = ((stock / strike).ln() + (RATE + 0.5 * VOLATILITY * VOLATILITY) * years) / spread;
    let d2 = d1 - spread;
    let discounted = strike * (-RATE * years).exp();
    let call = stock * cumulative_normal(d1) - discounted * cumulative_normal(d2);
    let put = discounted * (1.0 - cumulative_normal(d2)) - stock * (1.0 - cumulative_normal(d1));
    (call, put)
}

fn main() -> Result<(), Failure> {
    let arguments = Arguments::parse("Prices n options.", &["--n"]);
    let device = arguments.device()?;
    let n = arguments.number("--n").unwrap_or(1_000_000);
    println!("pricing {n} calls and puts on {device}");
    // Stocks at 5 to 30, strikes at 1 to 100, up to ten years.
    let between = |low: f64, high: f64, factor: usize| {
        (0..n).map(move |i| low + (high - low) * (i * factor % 100_003) as f64 / 100_003.0).collect::<Vec<_>>()
    };
    let (stock, strike, years) = (between(5.0, 30.0, 7919), between(1.0, 100.0, 104_729), between(0.25, 10.0, 1_299_709));
    let (device_stock, device_strike, device_years) = (device.to_device(&stock)?, device.to_device(&strike)?, device.to_device(&years)?);

    // One result of the tuple becomes one array.
    let prices = black_scholes::map(&device_stock, &device_strike, &device_years);
    prices.collect()?;
    device.synchronize()?;
    let mut comparison = Comparison::new("options");
    let (call, put) = comparison.time(n, || {
        let prices = prices.collect()?;
        device.synchronize()?;
        gpu_runtime::Result::Ok(prices)
    })?;
    // The function can still be called with numbers.
    let host: Vec<(f64, f64)> = comparison.time_plain(n, || (0..n).map(|i| black_scholes(stock[i], strike[i], years[i])).collect());
    print!("{comparison}");

    let (call, put) = (call.to_host()?, put.to_host()?);
    println!("the first call costs {:.4}, the first put {:.4}", call[0], put[0]);
    for i in 0..n {
        // The parity of call and put does not depend on the distribution.
        let parity = stock[i] - strike[i] * (-RATE * years[i]).exp();
        let (host_call, host_put) = host[i];
        let error = (call[i] - put[i] - parity).abs().max((call[i] - host_call).abs()).max((put[i] - host_put).abs());
        if error > 1e-10 {
            return Err(format!("option {i}: call {}, put {}, off by {error:e}", call[i], put[i]).into());
        }
    }
    Ok(())
}
