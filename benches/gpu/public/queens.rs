//! The ways to place 15 queens on a board: each thread continues a beginning of six rows, with its board in a local array.

use gpu_benches::{Result, check};
use gpu_runtime::prelude::*;

use super::Programs;

const SIDE: usize = 15;
const PLACED: usize = 6;
const THREADS: usize = 128;

/// Whether the queen of the row `depth` is on a diagonal with none before.
#[gpu_device]
fn is_legal(board: &[i8; SIDE], depth: usize) -> bool {
    for row in 0..depth {
        let distance = (depth - row) as i8;
        if board[row] == board[depth] - distance || board[row] == board[depth] + distance {
            return false;
        }
    }
    true
}

#[gpu_kernel]
fn count(beginnings: &[[i8; PLACED]], solutions: &mut [u32]) {
    let i = grid_1d();
    if i >= beginnings.len() {
        return;
    }
    let mut board = [-1i8; SIDE];
    let mut taken = 0u32;
    for row in 0..PLACED {
        board[row] = beginnings[i][row];
        taken |= 1 << board[row];
    }
    let mut depth = PLACED;
    let mut found = 0;
    loop {
        board[depth] += 1;
        if board[depth] as usize == SIDE {
            board[depth] = -1;
            depth -= 1;
            if depth < PLACED {
                break;
            }
            taken &= !(1 << board[depth]);
        } else if taken & (1 << board[depth]) == 0 && is_legal(&board, depth) {
            if depth == SIDE - 1 {
                found += 1;
            } else {
                taken |= 1 << board[depth];
                depth += 1;
            }
        }
    }
    solutions[i] = found;
}

/// All boards with a queen in each of the first `PLACED` rows.
fn beginnings() -> Vec<[i8; PLACED]> {
    let mut boards: Vec<Vec<i8>> = vec![Vec::new()];
    for row in 0..PLACED {
        let mut next = Vec::new();
        for board in boards {
            for column in 0..SIDE as i8 {
                let safe = |(other, &at): (usize, &i8)| at != column && (at - column).unsigned_abs() as usize != row - other;
                if board.iter().enumerate().all(safe) {
                    next.push([board.clone(), vec![column]].concat());
                }
            }
        }
        boards = next;
    }
    boards.into_iter().map(|board| board.try_into().unwrap()).collect()
}

pub(crate) fn run(programs: &mut Programs<'_>) -> Result<()> {
    let beginnings = beginnings();
    let (device, cuda) = (programs.gpu.device, programs.gpu.cuda);
    let device_beginnings = device.to_device(&beginnings)?;
    let mut solutions = device.zeros::<u32>(beginnings.len())?;
    let (hand_beginnings, hand_solutions) = (cuda.upload(&beginnings)?, cuda.zeros::<u32>(beginnings.len())?);
    let grid = beginnings.len().div_ceil(THREADS);
    let mut hand = programs.gpu.by_hand(
        include_str!("queens.cu"),
        "count",
        [grid as u32, 1],
        [THREADS as u32, 1],
        &[hand_beginnings.address(), hand_solutions.address(), beginnings.len() as u64],
    )?;
    programs.compare("queens", 3, || count(&device_beginnings, &mut solutions).launch(grid, THREADS), &mut hand)?;
    let mut by_hand = vec![0; beginnings.len()];
    cuda.download(&hand_solutions, 0, &mut by_hand)?;
    let found = solutions.to_host()?;
    check(found == by_hand, "the boards, ours or by hand")?;
    check(found.iter().sum::<u32>() == 2_279_184, "the boards")
}
