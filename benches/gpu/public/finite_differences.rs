//! A step of finite differences of radius 4 in a volume of 384 × 384 × 384: tiles of a plane in shared memory, its neighbours in registers.

use gpu_benches::beside::noise;
use gpu_benches::{Result, check};
use gpu_runtime::prelude::*;

use super::{Programs, all_close};

const RADIUS: usize = 4;
const WIDTH: usize = 32;
const HEIGHT: usize = 16;
const SIDE: usize = 384;
const PADDED: usize = SIDE + 2 * RADIUS;
const COEFFICIENTS: [f32; RADIUS + 1] = [0.3, 0.05, 0.03, 0.02, 0.01];

#[gpu_kernel(block = (WIDTH, HEIGHT))]
pub(crate) fn step(before: &[f32], after: &mut [f32], nx: usize, ny: usize, nz: usize) {
    let mut tile = shared::<[[f32; WIDTH + 2 * RADIUS]; HEIGHT + 2 * RADIUS]>();
    let (x, y) = grid_2d();
    let (tx, ty) = (thread_idx().x + RADIUS, thread_idx().y + RADIUS);
    let row = nx + 2 * RADIUS;
    let plane = row * (ny + 2 * RADIUS);
    let inside = x < nx && y < ny;
    // The elements of this thread's column, from the plane farthest behind to the one farthest ahead.
    let mut column = [0.0; 2 * RADIUS + 1];
    let mut at = (y + RADIUS) * row + x + RADIUS;
    if inside {
        for k in 0..2 * RADIUS {
            column[k + 1] = before[at + k * plane];
        }
    }
    for _ in 0..nz {
        for k in 0..2 * RADIUS {
            column[k] = column[k + 1];
        }
        if inside {
            column[2 * RADIUS] = before[at + 2 * RADIUS * plane];
        }
        let centre = at + RADIUS * plane;
        sync_threads();
        if inside {
            tile[ty][tx] = column[RADIUS];
            if thread_idx().y < RADIUS {
                tile[ty - RADIUS][tx] = before[centre - RADIUS * row];
                tile[ty + HEIGHT][tx] = before[centre + HEIGHT * row];
            }
            if thread_idx().x < RADIUS {
                tile[ty][tx - RADIUS] = before[centre - RADIUS];
                tile[ty][tx + WIDTH] = before[centre + WIDTH];
            }
        }
        sync_threads();
        if inside {
            let mut sum = COEFFICIENTS[0] * column[RADIUS];
            for k in 1..=RADIUS {
                sum += COEFFICIENTS[k]
                    * (column[RADIUS - k] + column[RADIUS + k] + tile[ty - k][tx] + tile[ty + k][tx] + tile[ty][tx - k] + tile[ty][tx + k]);
            }
            after[centre] = sum;
        }
        at += plane;
    }
}

pub(crate) fn run(programs: &mut Programs<'_>) -> Result<()> {
    let mut random = noise(33);
    let before: Vec<f32> = (0..PADDED * PADDED * PADDED).map(|_| (random() % 1000) as f32 / 1000.0).collect();
    let (device, cuda) = (programs.gpu.device, programs.gpu.cuda);
    let device_before = device.to_device(&before)?;
    let mut after = device.zeros::<f32>(before.len())?;
    let (hand_before, hand_after) = (cuda.upload(&before)?, cuda.zeros::<f32>(before.len())?);
    let grid = (SIDE / WIDTH, SIDE / HEIGHT);
    let mut hand = programs.gpu.by_hand(
        include_str!("finite_differences.cu"),
        "step",
        [grid.0 as u32, grid.1 as u32],
        [WIDTH as u32, HEIGHT as u32],
        &[hand_before.address(), hand_after.address(), SIDE as u64, SIDE as u64, SIDE as u64],
    )?;
    programs.compare(
        "finite differences",
        10,
        || step(&device_before, &mut after, SIDE, SIDE, SIDE).launch(grid, (WIDTH, HEIGHT)),
        &mut hand,
    )?;
    let mut by_hand = vec![0.0; before.len()];
    cuda.download(&hand_after, 0, &mut by_hand)?;
    check(all_close(&after.to_host()?, &by_hand, 1e-5), "the volume, ours or by hand")
}
