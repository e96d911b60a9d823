//! The sum of the seven neighbours of each of 64 Mi `f32`, through shared memory with a halo on both sides.

use gpu_benches::by_hand::Arguments;
use gpu_benches::{Result, check};
use gpu_runtime::prelude::*;

use gpu_benches::beside::{ByHand, Gpu, noise};
use gpu_benches::report::Report;

const LEN: usize = 64 << 20;
const BLOCK: usize = 256;
const RADIUS: usize = 3;

/// `input` has `RADIUS` elements more on each side.
#[gpu_kernel(block = BLOCK)]
fn stencil(input: &[f32], out: &mut [f32]) {
    let mut tile = shared::<[f32; BLOCK + 2 * RADIUS]>();
    let (t, i) = (thread_idx().x, grid_1d());
    tile[t + RADIUS] = if i + RADIUS < input.len() { input[i + RADIUS] } else { 0.0 };
    if t < RADIUS {
        tile[t] = if i < input.len() { input[i] } else { 0.0 };
        let right = i + BLOCK + RADIUS;
        tile[t + BLOCK + RADIUS] = if right < input.len() { input[right] } else { 0.0 };
    }
    sync_threads();
    if i < out.len() {
        let mut sum = 0.0;
        for offset in 0..2 * RADIUS + 1 {
            sum += tile[t + offset];
        }
        out[i] = sum;
    }
}

pub(crate) fn run(gpu: &Gpu<'_>, report: &mut Report) -> Result<()> {
    let mut random = noise(1);
    // Whole numbers, so that every sum is exact.
    let host: Vec<f32> = (0..LEN + 2 * RADIUS).map(|_| (random() % 1000) as f32).collect();
    let input = gpu.device.to_device(&host)?;
    let mut out = gpu.device.zeros::<f32>(LEN)?;
    let (hand_input, hand_out) = (gpu.cuda.upload(&host)?, gpu.cuda.zeros::<f32>(LEN)?);
    let mut by_hand = ByHand {
        kernel: gpu.cuda.compile(include_str!("stencil.cu"), "stencil")?,
        grid: [(LEN / BLOCK) as u32, 1],
        block: [BLOCK as u32, 1],
        arguments: Arguments::new(&[hand_input.address(), hand_out.address(), LEN as u64]),
    };
    let figure = gpu.compare(
        "stencil with halo",
        20,
        0.98,
        || Ok(stencil(&input, &mut out).launch(LEN / BLOCK, BLOCK)?),
        || gpu.launch(&mut by_hand),
    )?;
    let expected: Vec<f32> = host.windows(2 * RADIUS + 1).map(|window| window.iter().sum()).collect();
    let mut hand_result = vec![0.0; LEN];
    gpu.cuda.download(&hand_out, 0, &mut hand_result)?;
    check(hand_result == expected, "the stencil by hand")?;
    check(out.to_host()? == expected, "our stencil")?;
    report.add(figure);
    Ok(())
}
