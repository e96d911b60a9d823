//! The rows of an image of three colors, blurred. Its edges are repeated.

use gpu_benches::beside::noise;
use gpu_benches::{Result, check};
use gpu_runtime::prelude::*;

use super::Programs;

const SIDE: usize = 4096;
const TAPS: usize = 17;
const BLOCK: (usize, usize) = (32, 8);

#[gpu_kernel]
pub(crate) fn blur(image: &[[u8; 3]], out: &mut [[u8; 3]], width: usize, height: usize, weights: &[f32]) {
    let (x, y) = grid_2d();
    if x < width && y < height {
        let radius = weights.len() / 2;
        let mut sum = [0.0f32; 3];
        for k in 0..weights.len() {
            let column = (x + k).saturating_sub(radius).min(width - 1);
            let pixel = image[y * width + column];
            for color in 0..3 {
                sum[color] += weights[k] * pixel[color] as f32;
            }
        }
        out[y * width + x] = [sum[0] as u8, sum[1] as u8, sum[2] as u8];
    }
}

pub(crate) fn run(programs: &mut Programs<'_>) -> Result<()> {
    let mut random = noise(59);
    let image: Vec<[u8; 3]> = (0..SIDE * SIDE).map(|_| [(); 3].map(|()| random() as u8)).collect();
    // Sums of them are exact.
    let weights = [1.0 / 32.0; TAPS];
    let (device, cuda) = (programs.gpu.device, programs.gpu.cuda);
    let (device_image, device_weights) = (device.to_device(&image)?, device.to_device(&weights)?);
    let mut out = device.to_device(&vec![[0u8; 3]; SIDE * SIDE])?;
    let (hand_image, hand_weights) = (cuda.upload(image.as_flattened())?, cuda.upload(&weights)?);
    let hand_out = cuda.zeros::<u8>(3 * SIDE * SIDE)?;
    let grid = (SIDE / BLOCK.0, SIDE / BLOCK.1);
    let mut hand = programs.gpu.by_hand(
        include_str!("blur.cu"),
        "blur",
        [grid.0 as u32, grid.1 as u32],
        [BLOCK.0 as u32, BLOCK.1 as u32],
        &[hand_image.address(), hand_out.address(), SIDE as u64, SIDE as u64, hand_weights.address(), TAPS as u64],
    )?;
    programs.compare("blur of colors", 20, || blur(&device_image, &mut out, SIDE, SIDE, &device_weights).launch(grid, BLOCK), &mut hand)?;
    let found = out.to_host()?;
    for at in (0..SIDE * SIDE).step_by(9973) {
        let (x, y) = (at % SIDE, at / SIDE);
        let column = |k: usize| (x + k).saturating_sub(TAPS / 2).min(SIDE - 1);
        let sum = |color: usize| (0..TAPS).map(|k| u32::from(image[y * SIDE + column(k)][color])).sum::<u32>() / 32;
        check((0..3).all(|color| u32::from(found[at][color]) == sum(color)), "the blurred image")?;
    }
    Ok(())
}
