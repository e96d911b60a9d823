//! The prices of 16,384 options by binomial trees of 512 steps, a block for each, the prices of a step in shared memory.

use gpu_benches::beside::noise;
use gpu_benches::{Result, check};
use gpu_runtime::prelude::*;

use super::{Programs, all_close};

const OPTIONS: usize = 16_384;
const STEPS: usize = 512;
const THREADS: usize = 256;

/// Of each option: the price of the share, the strike, and the logarithm of a step up.
#[gpu_kernel(block = THREADS)]
pub(crate) fn price(options: &[[f32; 3]], prices: &mut [f32], up: f32, down: f32) {
    let mut values = shared::<[f32; STEPS + 1]>();
    let t = thread_idx().x;
    let [share, strike, step] = options[block_idx().x];
    for i in (t..STEPS + 1).step_by(THREADS) {
        let at_end = share * (step * (2.0 * i as f32 - STEPS as f32)).exp() - strike;
        values[i] = at_end.max(0.0);
    }
    for level in (0..STEPS).rev() {
        sync_threads();
        let first = up * values[t + 1] + down * values[t];
        let second = if t + THREADS <= level { up * values[t + THREADS + 1] + down * values[t + THREADS] } else { 0.0 };
        sync_threads();
        if t <= level {
            values[t] = first;
        }
        if t + THREADS <= level {
            values[t + THREADS] = second;
        }
    }
    if t == 0 {
        prices[block_idx().x] = values[0];
    }
}

fn expected([share, strike, step]: [f32; 3], up: f32, down: f32) -> f32 {
    let mut values: Vec<f32> = (0..=STEPS).map(|i| (share * (step * (2.0 * i as f32 - STEPS as f32)).exp() - strike).max(0.0)).collect();
    for level in (0..STEPS).rev() {
        for i in 0..=level {
            values[i] = up * values[i + 1] + down * values[i];
        }
    }
    values[0]
}

pub(crate) fn run(programs: &mut Programs<'_>) -> Result<()> {
    let mut random = noise(26);
    let mut between = |low: f32, high: f32| low + (high - low) * (random() % 10_000) as f32 / 10_000.0;
    let options: Vec<[f32; 3]> = (0..OPTIONS).map(|_| [between(5.0, 30.0), between(1.0, 100.0), between(0.005, 0.02)]).collect();
    let (up, down) = (0.5001f32, 0.4998f32);
    let (device, cuda) = (programs.gpu.device, programs.gpu.cuda);
    let device_options = device.to_device(&options)?;
    let mut prices = device.zeros::<f32>(OPTIONS)?;
    let (hand_options, hand_prices) = (cuda.upload(&options)?, cuda.zeros::<f32>(OPTIONS)?);
    let mut hand = programs.gpu.by_hand(
        include_str!("binomial.cu"),
        "price",
        [OPTIONS as u32, 1],
        [THREADS as u32, 1],
        &[hand_options.address(), hand_prices.address(), u64::from(up.to_bits()), u64::from(down.to_bits())],
    )?;
    programs.compare("binomial options", 20, || price(&device_options, &mut prices, up, down).launch(OPTIONS, THREADS), &mut hand)?;
    let mut by_hand = vec![0.0; OPTIONS];
    cuda.download(&hand_prices, 0, &mut by_hand)?;
    let found = prices.to_host()?;
    check(all_close(&found, &by_hand, 1e-4), "the prices, ours or by hand")?;
    let some = (0..OPTIONS).step_by(1000);
    check(some.into_iter().all(|i| all_close(&found[i..=i], &[expected(options[i], up, down)], 1e-3)), "the prices")
}
