//! The softmax of each row of a matrix, a block for each.

use gpu_benches::beside::noise;
use gpu_benches::{Result, check};
use gpu_runtime::block::{block_max, block_sum};
use gpu_runtime::prelude::*;

use super::{Programs, all_close};

const ROWS: usize = 4096;
const COLUMNS: usize = 4096;

#[gpu_kernel(block = 256)]
pub(crate) fn softmax(x: &[f32], out: &mut [f32], columns: usize) {
    let start = block_idx().x * columns;
    let mut largest = f32::NEG_INFINITY;
    let mut column = thread_idx().x;
    while column < columns {
        largest = largest.max(x[start + column]);
        column += 256;
    }
    let largest = block_max(largest).await;
    let mut sum = 0.0;
    let mut column = thread_idx().x;
    while column < columns {
        sum += (x[start + column] - largest).exp();
        column += 256;
    }
    let sum = block_sum(sum).await;
    let mut column = thread_idx().x;
    while column < columns {
        out[start + column] = (x[start + column] - largest).exp() / sum;
        column += 256;
    }
}

pub(crate) fn run(programs: &mut Programs<'_>) -> Result<()> {
    let mut random = noise(53);
    let x: Vec<f32> = (0..ROWS * COLUMNS).map(|_| (random() % 10_000) as f32 / 1000.0).collect();
    let (device, cuda) = (programs.gpu.device, programs.gpu.cuda);
    let (device_x, mut out) = (device.to_device(&x)?, device.zeros::<f32>(x.len())?);
    let (hand_x, hand_out) = (cuda.upload(&x)?, cuda.zeros::<f32>(x.len())?);
    let arguments = [hand_x.address(), hand_out.address(), COLUMNS as u64];
    let mut hand = programs.gpu.by_hand(include_str!("softmax.cu"), "softmax", [ROWS as u32, 1], [256, 1], &arguments)?;
    programs.compare("softmax of rows", 50, || softmax(&device_x, &mut out, COLUMNS).launch(ROWS, 256), &mut hand)?;
    let found = out.to_host()?;
    for row in (0..ROWS).step_by(511) {
        let of_row = row * COLUMNS..(row + 1) * COLUMNS;
        let largest = x[of_row.clone()].iter().copied().fold(f32::NEG_INFINITY, f32::max);
        let powers: Vec<f32> = x[of_row.clone()].iter().map(|x| (x - largest).exp()).collect();
        let sum: f64 = powers.iter().map(|&power| f64::from(power)).sum();
        let expected: Vec<f32> = powers.iter().map(|&power| (f64::from(power) / sum) as f32).collect();
        check(all_close(&found[of_row], &expected, 1e-6), "the softmax")?;
    }
    Ok(())
}
