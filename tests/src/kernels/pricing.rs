//! Black and Scholes' prices of European options.

use gpu_runtime::prelude::*;

use crate::bench::Bench;
use crate::{cases, launch};

cases![prices_are_those_of_black_and_scholes, calls_and_puts_are_in_parity];

/// A market: the same for all options.
#[derive(Debug, Clone, Copy, DeviceType)]
#[repr(C)]
pub struct Market {
    rate: f64,
    volatility: f64,
}

crate::value_arguments![Market];

/// Prices of the right to buy, and of the right to sell.
#[derive(Debug, Clone, Copy, PartialEq, DeviceType)]
#[repr(C)]
pub struct Prices {
    call: f64,
    put: f64,
}

/// The distribution function of the standard normal distribution.
#[gpu_device]
fn normal(x: f64) -> f64 {
    0.5 * (1.0 + (x * std::f64::consts::FRAC_1_SQRT_2).erf())
}

#[gpu_device]
impl Market {
    fn price(&self, stock: f64, strike: f64, years: f64) -> Prices {
        let spread = self.volatility * years.sqrt();
        let d1 = ((stock / strike).ln() + (self.rate + 0.5 * self.volatility * self.volatility) * years) / spread;
        let (near, far) = (normal(d1), normal(d1 - spread));
        let discounted = strike * (-self.rate * years).exp();
        Prices { call: stock * near - discounted * far, put: discounted * (1.0 - far) - stock * (1.0 - near) }
    }
}

#[gpu_kernel]
pub fn price(stock: &[f64], strike: &[f64], years: &[f64], market: Market, out: &mut [Prices]) {
    for i in grid_stride(out.len()) {
        out[i] = market.price(stock[i], strike[i], years[i]);
    }
}

const MARKET: Market = Market { rate: 0.02, volatility: 0.30 };

/// Stocks, strikes and years, spread over the usual ranges.
fn portfolio(n: usize) -> [Vec<f64>; 3] {
    let spread = |step: f64, from: f64, to: f64| (0..n).map(|i| from + (to - from) * (i as f64 * step).fract()).collect();
    [spread(0.618_033_988_749, 5.0, 30.0), spread(0.754_877_666_247, 1.0, 100.0), spread(0.569_840_290_998, 0.25, 10.0)]
}

/// The same function from its power series with positive terms, ∑ x²ⁿ⁺¹ / (1·3·5···(2n+1)), so that nothing cancels. Below -8 it is 0 in
/// any sum with a price.
fn normal_by_series(x: f64) -> f64 {
    let a = x.abs();
    let (mut term, mut sum, mut n) = (a, a, 1.0);
    while term > sum * 1e-18 {
        n += 2.0;
        term *= a * a / n;
        sum += term;
    }
    let half = if a > 9.0 { 0.5 } else { sum * (-0.5 * a * a).exp() / (2.0 * std::f64::consts::PI).sqrt() };
    if x < 0.0 { 0.5 - half } else { 0.5 + half }
}

fn priced(bench: &Bench, portfolio: &[Vec<f64>; 3]) -> Vec<Prices> {
    let [stock, strike, years] = portfolio;
    let mut out = vec![Prices { call: -1.0, put: -1.0 }; stock.len()];
    launch!(bench, price(stock, strike, years, MARKET, &mut out), 3, 64);
    out
}

fn prices_are_those_of_black_and_scholes(bench: &Bench) {
    let portfolio = portfolio(1001);
    let out = priced(bench, &portfolio);
    let [stock, strike, years] = &portfolio;
    let (mut error, mut total) = ([0.0; 2], [0.0; 2]);
    for i in 0..out.len() {
        let Market { rate, volatility } = MARKET;
        let spread = volatility * years[i].sqrt();
        let d2 = (stock[i].ln() - strike[i].ln() + (rate - volatility.powi(2) / 2.0) * years[i]) / spread;
        let (paid, got) = (strike[i] / (rate * years[i]).exp(), stock[i]);
        let call = got * normal_by_series(d2 + spread) - paid * normal_by_series(d2);
        let put = paid * normal_by_series(-d2) - got * normal_by_series(-d2 - spread);
        for (side, (actual, expected)) in [(out[i].call, call), (out[i].put, put)].into_iter().enumerate() {
            error[side] += (actual - expected).abs();
            total[side] += expected.abs();
        }
    }
    assert!(error[0] / total[0] < 1e-13 && error[1] / total[1] < 1e-13, "{error:?} of {total:?}");
}

/// To hold a call and to owe a put is to hold the stock and to owe the strike.
fn calls_and_puts_are_in_parity(bench: &Bench) {
    let portfolio = portfolio(333);
    let [stock, strike, years] = &portfolio;
    for (i, prices) in priced(bench, &portfolio).into_iter().enumerate() {
        let parity = stock[i] - strike[i] * (-MARKET.rate * years[i]).exp();
        assert!((prices.call - prices.put - parity).abs() < 1e-12, "option {i}: {prices:?}, {parity}");
    }
}
