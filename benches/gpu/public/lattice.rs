//! One step of diffusion on a periodic lattice of 480 × 400 × 320 `f32`, the neighbours by remainders of a flat index.

use gpu_benches::beside::noise;
use gpu_benches::{Result, check};
use gpu_runtime::prelude::*;

use super::{Programs, all_close};

const NX: usize = 480;
const NY: usize = 400;
const NZ: usize = 320;
const THREADS: usize = 256;

#[gpu_kernel]
pub(crate) fn step(before: &[f32], after: &mut [f32], nx: usize, ny: usize, nz: usize, rate: f32) {
    let i = grid_1d();
    if i < nx * ny * nz {
        let x = i % nx;
        let y = i / nx % ny;
        let z = i / (nx * ny);
        let at = |x: usize, y: usize, z: usize| before[(z * ny + y) * nx + x];
        let sum = at((x + 1) % nx, y, z)
            + at((x + nx - 1) % nx, y, z)
            + at(x, (y + 1) % ny, z)
            + at(x, (y + ny - 1) % ny, z)
            + at(x, y, (z + 1) % nz)
            + at(x, y, (z + nz - 1) % nz);
        after[i] = before[i] + rate * (sum - 6.0 * before[i]);
    }
}

pub(crate) fn run(programs: &mut Programs<'_>) -> Result<()> {
    let mut random = noise(28);
    let before: Vec<f32> = (0..NX * NY * NZ).map(|_| (random() % 1000) as f32 / 1000.0).collect();
    let rate = 0.1f32;
    let (device, cuda) = (programs.gpu.device, programs.gpu.cuda);
    let device_before = device.to_device(&before)?;
    let mut after = device.zeros::<f32>(before.len())?;
    let (hand_before, hand_after) = (cuda.upload(&before)?, cuda.zeros::<f32>(before.len())?);
    let grid = before.len() / THREADS;
    let mut hand = programs.gpu.by_hand(
        include_str!("lattice.cu"),
        "step",
        [grid as u32, 1],
        [THREADS as u32, 1],
        &[hand_before.address(), hand_after.address(), NX as u64, NY as u64, NZ as u64, u64::from(rate.to_bits())],
    )?;
    programs.compare("periodic lattice", 20, || step(&device_before, &mut after, NX, NY, NZ, rate).launch(grid, THREADS), &mut hand)?;
    let mut by_hand = vec![0.0; before.len()];
    cuda.download(&hand_after, 0, &mut by_hand)?;
    let found = after.to_host()?;
    check(all_close(&found, &by_hand, 1e-6), "the lattice, ours or by hand")?;
    let expected = |i: usize| {
        let (x, y, z) = (i % NX, i / NX % NY, i / NX / NY);
        let at = |x: usize, y: usize, z: usize| before[(z * NY + y) * NX + x];
        let along_x = at((x + 1) % NX, y, z) + at((x + NX - 1) % NX, y, z);
        let along_y = at(x, (y + 1) % NY, z) + at(x, (y + NY - 1) % NY, z);
        let along_z = at(x, y, (z + 1) % NZ) + at(x, y, (z + NZ - 1) % NZ);
        before[i] + rate * (along_x + along_y + along_z - 6.0 * before[i])
    };
    check((0..before.len()).step_by(97).all(|i| (found[i] - expected(i)).abs() < 1e-5), "the lattice")
}
