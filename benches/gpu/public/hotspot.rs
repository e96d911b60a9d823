//! Heat of a chip of 4096 × 4096 cells, two steps a launch: a tile with a halo in shared memory, of which a step leaves less.

use gpu_benches::beside::noise;
use gpu_benches::{Result, check};
use gpu_runtime::prelude::*;

use super::{Programs, all_close};

const SIDE: usize = 4096;
const BLOCK: usize = 16;
const STEPS: usize = 2;
const AMBIENT: f32 = 80.0;

#[allow(clippy::too_many_arguments, reason = "those of the program in CUDA C")]
#[gpu_kernel(block = (BLOCK, BLOCK))]
fn heat(steps: i32, power: &[f32], before: &[f32], after: &mut [f32], columns: i32, rows: i32, rate: f32, rx: f32, ry: f32, rz: f32) {
    let mut old = shared::<[[f32; BLOCK]; BLOCK]>();
    let mut watts = shared::<[[f32; BLOCK]; BLOCK]>();
    let mut new = shared::<[[f32; BLOCK]; BLOCK]>();
    let (tx, ty) = (thread_idx().x as i32, thread_idx().y as i32);
    let (bx, by) = (block_idx().x as i32, block_idx().y as i32);
    let block = BLOCK as i32;
    // What each block writes in the end, and where its tile begins.
    let small = block - steps * 2;
    let (top, left) = (small * by - steps, small * bx - steps);
    let (row, column) = (top + ty, left + tx);
    let inside = row >= 0 && row < rows && column >= 0 && column < columns;
    if inside {
        old[ty as usize][tx as usize] = before[(row * columns + column) as usize];
        watts[ty as usize][tx as usize] = power[(row * columns + column) as usize];
    }
    sync_threads();
    // The cells of the tile that are cells of the chip.
    let (first_y, last_y) = ((-top).max(0), (rows - 1 - top).min(block - 1));
    let (first_x, last_x) = ((-left).max(0), (columns - 1 - left).min(block - 1));
    let (north, south) = ((ty - 1).max(first_y), (ty + 1).min(last_y));
    let (west, east) = ((tx - 1).max(first_x), (tx + 1).min(last_x));
    let mut computed = false;
    for i in 0..steps {
        computed = tx >= i + 1 && tx <= block - i - 2 && ty >= i + 1 && ty <= block - i - 2 && inside;
        if computed {
            let (x, y) = (tx as usize, ty as usize);
            let own = old[y][x];
            new[y][x] = own
                + rate
                    * (watts[y][x]
                        + (old[south as usize][x] + old[north as usize][x] - 2.0 * own) * ry
                        + (old[y][east as usize] + old[y][west as usize] - 2.0 * own) * rx
                        + (AMBIENT - own) * rz);
        }
        sync_threads();
        if i == steps - 1 {
            break;
        }
        if computed {
            old[ty as usize][tx as usize] = new[ty as usize][tx as usize];
        }
        sync_threads();
    }
    if computed {
        after[(row * columns + column) as usize] = new[ty as usize][tx as usize];
    }
}

pub(crate) fn run(programs: &mut Programs<'_>) -> Result<()> {
    let mut random = noise(42);
    let mut some =
        |scale: f32, from: f32| -> Vec<f32> { (0..SIDE * SIDE).map(|_| from + scale * (random() % 1000) as f32 / 1000.0).collect() };
    let (power, before) = (some(0.01, 0.0), some(20.0, 320.0));
    let (rate, rx, ry, rz) = (0.1f32, 0.5f32, 0.4f32, 0.01f32);
    let (device, cuda) = (programs.gpu.device, programs.gpu.cuda);
    let (device_power, device_before) = (device.to_device(&power)?, device.to_device(&before)?);
    let mut after = device.zeros::<f32>(SIDE * SIDE)?;
    let (hand_power, hand_before, hand_after) = (cuda.upload(&power)?, cuda.upload(&before)?, cuda.zeros::<f32>(SIDE * SIDE)?);
    let blocks = SIDE.div_ceil(BLOCK - 2 * STEPS);
    let bits = |x: f32| u64::from(x.to_bits());
    let mut hand = programs.gpu.by_hand(
        include_str!("hotspot.cu"),
        "heat",
        [blocks as u32, blocks as u32],
        [BLOCK as u32, BLOCK as u32],
        &[
            STEPS as u64,
            hand_power.address(),
            hand_before.address(),
            hand_after.address(),
            SIDE as u64,
            SIDE as u64,
            bits(rate),
            bits(rx),
            bits(ry),
            bits(rz),
        ],
    )?;
    let side = SIDE as i32;
    programs.compare(
        "hotspot",
        20,
        // SAFETY: the tiles without their halos do not overlap.
        || unsafe {
            heat(STEPS as i32, &device_power, &device_before, &mut after, side, side, rate, rx, ry, rz)
                .launch_unchecked((blocks, blocks), (BLOCK, BLOCK))
        },
        &mut hand,
    )?;
    let mut by_hand = vec![0.0; SIDE * SIDE];
    cuda.download(&hand_after, 0, &mut by_hand)?;
    check(all_close(&after.to_host()?, &by_hand, 1e-6), "the heat, ours or by hand")
}
