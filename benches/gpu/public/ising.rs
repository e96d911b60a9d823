//! The Ising model on a checkerboard of 10,240 × 10,240 spins: the two colours are updated in turn.

use gpu_benches::beside::noise;
use gpu_benches::{Result, check};
use gpu_runtime::prelude::*;

use super::Programs;

const THREADS: usize = 128;
const NX: usize = 10_240;
const NY: usize = 10_240 / 2;
const INVERSE_TEMPERATURE: f32 = 1.0 / (1.5 * 2.269_185_3);

#[gpu_kernel]
pub(crate) fn update<const BLACK: bool>(lattice: &mut [i8], other: &[i8], random: &[f32], inverse_temperature: f32, nx: usize, ny: usize) {
    let id = grid_1d();
    let (i, j) = (id / ny, id % ny);
    if i >= nx {
        return;
    }
    // The neighbours on a torus.
    let below = if i + 1 < nx { i + 1 } else { 0 };
    let above = if i > 0 { i - 1 } else { nx - 1 };
    let right = if j + 1 < ny { j + 1 } else { 0 };
    let left = if j > 0 { j - 1 } else { ny - 1 };
    let side = if BLACK == (i % 2 == 1) { right } else { left };

    let neighbours = other[above * ny + j] + other[i * ny + j] + other[below * ny + j] + other[i * ny + side];
    let spin = lattice[i * ny + j];
    let acceptance = (-2.0 * inverse_temperature * neighbours as f32 * spin as f32).exp();
    if random[i * ny + j] < acceptance {
        lattice[i * ny + j] = -spin;
    }
}

fn expected(black: bool, lattice: &mut [i8], other: &[i8], random: &[f32]) {
    for i in 0..NX {
        for j in 0..NY {
            let row = |i: usize| &other[i * NY..][..NY];
            let side = if black == (i % 2 == 1) { (j + 1) % NY } else { (j + NY - 1) % NY };
            let sum = row((i + NX - 1) % NX)[j] + row(i)[j] + row((i + 1) % NX)[j] + row(i)[side];
            let spin = &mut lattice[i * NY + j];
            if random[i * NY + j] < (-2.0 * INVERSE_TEMPERATURE * f32::from(sum) * f32::from(*spin)).exp() {
                *spin = -*spin;
            }
        }
    }
}

pub(crate) fn run(programs: &mut Programs<'_>) -> Result<()> {
    let mut noise = noise(10);
    let random: Vec<f32> = (0..NX * NY).map(|_| noise() as f32 / (1u64 << 31) as f32).collect();
    let mut spins = || -> Vec<i8> { (0..NX * NY).map(|_| if noise() & 1 == 0 { -1 } else { 1 }).collect() };
    let (mut black, white) = (spins(), spins());
    let (device, cuda) = (programs.gpu.device, programs.gpu.cuda);
    let device_random = device.to_device(&random)?;
    let (mut device_black, device_white) = (device.to_device(&black)?, device.to_device(&white)?);
    let blocks = (NX * NY).div_ceil(THREADS);
    update::<true>(&mut device_black, &device_white, &device_random, INVERSE_TEMPERATURE, NX, NY).launch(blocks, THREADS)?;
    let first = device_black.to_host()?;

    let (hand_black, hand_white, hand_random) = (cuda.upload(&black)?, cuda.upload(&white)?, cuda.upload(&random)?);
    let mut hand = programs.gpu.by_hand(
        include_str!("ising.cu"),
        "update",
        [blocks as u32, 1],
        [THREADS as u32, 1],
        &[
            hand_black.address(),
            hand_white.address(),
            hand_random.address(),
            u64::from(INVERSE_TEMPERATURE.to_bits()),
            NX as u64,
            NY as u64,
            1,
        ],
    )?;
    programs.compare(
        "Ising model",
        20,
        || update::<true>(&mut device_black, &device_white, &device_random, INVERSE_TEMPERATURE, NX, NY).launch(blocks, THREADS),
        &mut hand,
    )?;
    expected(true, &mut black, &white, &random);
    // A random number may lie between the exponentials of the two devices.
    let wrong = first.iter().zip(&black).filter(|(f, e)| f != e).count();
    check(wrong < first.len() / 100_000, "the spins")
}
