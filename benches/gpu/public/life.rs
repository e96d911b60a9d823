//! A generation of the game of life on a torus of 8192 × 8192 cells: three rows in a loop over an array that is written there.

use gpu_benches::beside::noise;
use gpu_benches::{Result, check};
use gpu_runtime::prelude::*;

use super::Programs;

const SIDE: usize = 8192;
const BLOCK: (usize, usize) = (32, 8);

#[gpu_kernel]
fn life(cells: &[u8], next: &mut [u8], width: usize, height: usize) {
    let (x, y) = grid_2d();
    if x >= width || y >= height {
        return;
    }
    let left = (x + width - 1) % width;
    let right = (x + 1) % width;
    let up = (y + height - 1) % height;
    let down = (y + 1) % height;
    let mut alive = 0;
    for row in [up, y, down] {
        alive += cells[row * width + left] + cells[row * width + x] + cells[row * width + right];
    }
    alive -= cells[y * width + x];
    next[y * width + x] = (alive == 3 || (alive == 2 && cells[y * width + x] == 1)) as u8;
}

pub(crate) fn run(programs: &mut Programs<'_>) -> Result<()> {
    let mut random = noise(31);
    let cells: Vec<u8> = (0..SIDE * SIDE).map(|_| random().is_multiple_of(3).into()).collect();
    let (device, cuda) = (programs.gpu.device, programs.gpu.cuda);
    let device_cells = device.to_device(&cells)?;
    let mut next = device.zeros::<u8>(cells.len())?;
    let (hand_cells, hand_next) = (cuda.upload(&cells)?, cuda.zeros::<u8>(cells.len())?);
    let grid = (SIDE / BLOCK.0, SIDE / BLOCK.1);
    let mut hand = programs.gpu.by_hand(
        include_str!("life.cu"),
        "life",
        [grid.0 as u32, grid.1 as u32],
        [BLOCK.0 as u32, BLOCK.1 as u32],
        &[hand_cells.address(), hand_next.address(), SIDE as u64, SIDE as u64],
    )?;
    programs.compare("game of life", 20, || life(&device_cells, &mut next, SIDE, SIDE).launch(grid, BLOCK), &mut hand)?;
    let mut by_hand = vec![0; cells.len()];
    cuda.download(&hand_next, 0, &mut by_hand)?;
    let found = next.to_host()?;
    check(found == by_hand, "the generation, ours or by hand")?;
    let expected = |i: usize| {
        let (x, y) = (i % SIDE, i / SIDE);
        let near = |at: usize| [(at + SIDE - 1) % SIDE, at, (at + 1) % SIDE];
        let around: u8 = near(y).iter().flat_map(|row| near(x).map(|column| cells[row * SIDE + column])).sum();
        u8::from(around - cells[i] == 3 || around - cells[i] == 2 && cells[i] == 1)
    };
    check((0..cells.len()).step_by(97).all(|i| found[i] == expected(i)), "the generation")
}
