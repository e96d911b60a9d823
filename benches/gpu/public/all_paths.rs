//! A round of Floyd–Warshall on 4096 vertices: the ways through one vertex, with the vertex that is passed last.

use gpu_benches::beside::noise;
use gpu_benches::{Result, check};
use gpu_runtime::prelude::*;

use super::Programs;

const SIDE: usize = 4096;
const BLOCK: (usize, usize) = (32, 8);
const ROUNDS: usize = 4;

#[gpu_kernel]
fn pass(distances: &mut [u32], passed: &mut [u32], n: usize, through: usize) {
    let (x, y) = grid_2d();
    if x < n && y < n {
        let old = distances[y * n + x];
        let new = distances[y * n + through] + distances[through * n + x];
        if new < old {
            distances[y * n + x] = new;
            passed[y * n + x] = through as u32;
        }
    }
}

pub(crate) fn run(programs: &mut Programs<'_>) -> Result<()> {
    let mut random = noise(46);
    let start: Vec<u32> = (0..SIDE * SIDE).map(|i| if i % SIDE == i / SIDE { 0 } else { 1 + random() % 1000 }).collect();
    let (device, cuda) = (programs.gpu.device, programs.gpu.cuda);
    let (mut distances, mut passed) = (device.to_device(&start)?, device.zeros::<u32>(SIDE * SIDE)?);
    let (hand_distances, hand_passed) = (cuda.upload(&start)?, cuda.zeros::<u32>(SIDE * SIDE)?);
    let grid = (SIDE / BLOCK.0, SIDE / BLOCK.1);
    let mut hands = Vec::new();
    for through in 0..ROUNDS {
        hands.push(programs.gpu.by_hand(
            include_str!("all_paths.cu"),
            "pass",
            [grid.0 as u32, grid.1 as u32],
            [BLOCK.0 as u32, BLOCK.1 as u32],
            &[hand_distances.address(), hand_passed.address(), SIDE as u64, through as u64],
        )?);
    }
    programs.compare_all(
        "all paths",
        20,
        || {
            (0..ROUNDS).try_for_each(|through| {
                // SAFETY: the row and the column of the vertex stay as they are: its distance from itself is 0.
                unsafe { pass(&mut distances, &mut passed, SIDE, through).launch_unchecked(grid, BLOCK) }
            })
        },
        &mut hands,
    )?;
    let mut by_hand = vec![0; SIDE * SIDE];
    cuda.download(&hand_distances, 0, &mut by_hand)?;
    check(distances.to_host()? == by_hand, "the distances, ours or by hand")
}
