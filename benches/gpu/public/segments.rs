//! The means of 131,072 segments of an array, a warp for each.

use gpu_benches::beside::noise;
use gpu_benches::{Result, check};
use gpu_runtime::prelude::*;

use super::{Programs, all_close};

const COUNT: usize = 1 << 17;
const BLOCK: usize = 256;

#[gpu_kernel(block = 256)]
pub(crate) fn means(values: &[f32], starts: &[u32], out: &mut [f32]) {
    let segment = grid_1d() / 32;
    let lane = lane_id();
    if segment + 1 < starts.len() && segment < out.len() {
        let (start, end) = (starts[segment] as usize, starts[segment + 1] as usize);
        let mut sum = 0.0;
        let mut i = start + lane;
        while i < end {
            sum += values[i];
            i += 32;
        }
        let sum = warp_sum(sum);
        if lane == 0 {
            out[segment] = sum / (end - start) as f32;
        }
    }
}

pub(crate) fn run(programs: &mut Programs<'_>) -> Result<()> {
    let mut random = noise(47);
    let mut starts = vec![0u32];
    for segment in 0..COUNT {
        starts.push(starts[segment] + 1 + random() % 300);
    }
    let values: Vec<f32> = (0..starts[COUNT]).map(|_| (random() % 1000) as f32 / 1000.0).collect();
    let (device, cuda) = (programs.gpu.device, programs.gpu.cuda);
    let (device_values, device_starts, mut out) = (device.to_device(&values)?, device.to_device(&starts)?, device.zeros::<f32>(COUNT)?);
    let (hand_values, hand_starts, hand_out) = (cuda.upload(&values)?, cuda.upload(&starts)?, cuda.zeros::<f32>(COUNT)?);
    let grid = COUNT * 32 / BLOCK;
    let mut hand = programs.gpu.by_hand(
        include_str!("segments.cu"),
        "means",
        [grid as u32, 1],
        [BLOCK as u32, 1],
        &[hand_values.address(), hand_starts.address(), hand_out.address(), COUNT as u64],
    )?;
    programs.compare("means of segments", 50, || means(&device_values, &device_starts, &mut out).launch(grid, BLOCK), &mut hand)?;
    let expected = starts.windows(2).map(|ends| {
        let segment = &values[ends[0] as usize..ends[1] as usize];
        segment.iter().sum::<f32>() / segment.len() as f32
    });
    check(all_close(&out.to_host()?, &expected.collect::<Vec<f32>>(), 1e-5), "the means")
}
