//! Edges of an image of bytes by Sobel's filter, with coordinates that are clamped at the border.

use gpu_benches::beside::noise;
use gpu_benches::{Result, check};
use gpu_runtime::prelude::*;

use super::Programs;

const SIDE: usize = 8192;
const BLOCK: usize = 16;

#[gpu_kernel]
fn sobel(image: &[u8], out: &mut [u8], width: i32, height: i32) {
    let (x, y) = grid_2d();
    let (x, y) = (x as i32, y as i32);
    if x >= width || y >= height {
        return;
    }
    let mut gx = 0;
    let mut gy = 0;
    for dy in -1..=1 {
        for dx in -1..=1 {
            let cx = (x + dx).clamp(0, width - 1);
            let cy = (y + dy).clamp(0, height - 1);
            let value = image[(cy * width + cx) as usize] as i32;
            gx += value * dx * (2 - dy * dy);
            gy += value * dy * (2 - dx * dx);
        }
    }
    let magnitude = ((gx * gx + gy * gy) as f32).sqrt();
    out[(y * width + x) as usize] = magnitude.min(255.0) as u8;
}

pub(crate) fn run(programs: &mut Programs<'_>) -> Result<()> {
    let mut random = noise(43);
    let image: Vec<u8> = (0..SIDE * SIDE).map(|_| random() as u8).collect();
    let (device, cuda) = (programs.gpu.device, programs.gpu.cuda);
    let (device_image, mut out) = (device.to_device(&image)?, device.zeros::<u8>(SIDE * SIDE)?);
    let (hand_image, hand_out) = (cuda.upload(&image)?, cuda.zeros::<u8>(SIDE * SIDE)?);
    let blocks = SIDE / BLOCK;
    let mut hand = programs.gpu.by_hand(
        include_str!("edges.cu"),
        "sobel",
        [blocks as u32, blocks as u32],
        [BLOCK as u32, BLOCK as u32],
        &[hand_image.address(), hand_out.address(), SIDE as u64, SIDE as u64],
    )?;
    let side = SIDE as i32;
    programs.compare("edges", 10, || sobel(&device_image, &mut out, side, side).launch((blocks, blocks), (BLOCK, BLOCK)), &mut hand)?;
    let mut by_hand = vec![0; SIDE * SIDE];
    cuda.download(&hand_out, 0, &mut by_hand)?;
    check(out.to_host()? == by_hand, "the edges, ours or by hand")
}
