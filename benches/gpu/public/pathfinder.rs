//! The cheapest ways down a wall of 1,048,576 columns, twenty rows a launch: a row with a halo in shared memory.

use gpu_benches::beside::noise;
use gpu_benches::{Result, check};
use gpu_runtime::prelude::*;

use super::Programs;

const COLUMNS: usize = 1 << 20;
const ROWS: usize = 21;
const BLOCK: usize = 256;
const HALO: usize = ROWS - 1;
const INNER: usize = BLOCK - 2 * HALO;

#[gpu_kernel(block = BLOCK)]
fn paths(wall: &[i32], first: &[i32], cheapest: &mut [i32], columns: usize, rows: usize) {
    let mut before = shared::<[i32; BLOCK]>();
    let mut after = shared::<[i32; BLOCK]>();
    let t = thread_idx().x;
    // The column of this thread, plus the halo: blocks begin with that of the block before.
    let shifted = block_idx().x * INNER + t;
    let inside = shifted >= HALO && shifted < columns + HALO;
    if inside {
        before[t] = first[shifted - HALO];
    }
    sync_threads();
    for row in 1..rows {
        let computed = t >= row && t < BLOCK - row && inside;
        if computed {
            let column = shifted - HALO;
            let left = if column > 0 { before[t - 1] } else { before[t] };
            let right = if column + 1 < columns { before[t + 1] } else { before[t] };
            after[t] = left.min(before[t]).min(right) + wall[row * columns + column];
        }
        sync_threads();
        if computed {
            before[t] = after[t];
        }
        sync_threads();
    }
    if t >= HALO && t < BLOCK - HALO && inside {
        cheapest[block_idx().x * INNER + t - HALO] = before[t];
    }
}

pub(crate) fn run(programs: &mut Programs<'_>) -> Result<()> {
    let mut random = noise(43);
    let wall: Vec<i32> = (0..COLUMNS * ROWS).map(|_| (random() % 10) as i32).collect();
    let (device, cuda) = (programs.gpu.device, programs.gpu.cuda);
    let device_wall = device.to_device(&wall)?;
    let mut cheapest = device.zeros::<i32>(COLUMNS)?;
    let (hand_wall, hand_cheapest) = (cuda.upload(&wall)?, cuda.zeros::<i32>(COLUMNS)?);
    let grid = COLUMNS.div_ceil(INNER);
    let mut hand = programs.gpu.by_hand(
        include_str!("pathfinder.cu"),
        "paths",
        [grid as u32, 1],
        [BLOCK as u32, 1],
        &[hand_wall.address(), hand_wall.address(), hand_cheapest.address(), COLUMNS as u64, ROWS as u64],
    )?;
    programs.compare(
        "pathfinder",
        20,
        || paths(&device_wall, device_wall.slice(..COLUMNS), &mut cheapest, COLUMNS, ROWS).launch(grid, BLOCK),
        &mut hand,
    )?;
    let mut by_hand = vec![0; COLUMNS];
    cuda.download(&hand_cheapest, 0, &mut by_hand)?;
    let found = cheapest.to_host()?;
    check(found == by_hand, "the paths, ours or by hand")?;
    let mut row = wall[..COLUMNS].to_vec();
    for wall in wall.chunks(COLUMNS).skip(1) {
        row = (0..COLUMNS).map(|c| row[c.saturating_sub(1)..(c + 2).min(COLUMNS)].iter().min().unwrap() + wall[c]).collect();
    }
    check(found == row, "the paths")
}
