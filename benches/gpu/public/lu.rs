//! The LU decompositions, without pivots, of 65,536 matrices of 32 × 32 `f32`, a block for each, in shared memory.

use gpu_benches::beside::noise;
use gpu_benches::{Result, check};
use gpu_runtime::prelude::*;

use super::{Programs, all_close};

const MATRICES: usize = 65_536;
const SIDE: usize = 32;
const ROWS: usize = 8;

#[gpu_kernel(block = (SIDE, ROWS))]
fn decompose(matrices: &mut [f32]) {
    let mut a = shared::<[[f32; SIDE]; SIDE]>();
    let (x, y) = (thread_idx().x, thread_idx().y);
    let first = block_idx().x * SIDE * SIDE;
    for row in (y..SIDE).step_by(ROWS) {
        a[row][x] = matrices[first + row * SIDE + x];
    }
    sync_threads();
    for k in 0..SIDE - 1 {
        if y == 0 && x > k {
            a[x][k] /= a[k][k];
        }
        sync_threads();
        for row in (y..SIDE).step_by(ROWS) {
            if row > k && x > k {
                a[row][x] -= a[row][k] * a[k][x];
            }
        }
        sync_threads();
    }
    for row in (y..SIDE).step_by(ROWS) {
        matrices[first + row * SIDE + x] = a[row][x];
    }
}

fn expected(a: &mut [f32]) {
    for k in 0..SIDE - 1 {
        for row in k + 1..SIDE {
            a[row * SIDE + k] /= a[k * SIDE + k];
            for x in k + 1..SIDE {
                a[row * SIDE + x] -= a[row * SIDE + k] * a[k * SIDE + x];
            }
        }
    }
}

pub(crate) fn run(programs: &mut Programs<'_>) -> Result<()> {
    let mut random = noise(24);
    // A large diagonal, so that no pivots are needed.
    let matrices: Vec<f32> = (0..MATRICES * SIDE * SIDE)
        .map(|at| (random() % 1000) as f32 / 1000.0 + if at / SIDE % SIDE == at % SIDE { SIDE as f32 } else { 0.0 })
        .collect();
    let (device, cuda) = (programs.gpu.device, programs.gpu.cuda);
    let mut ours = device.to_device(&matrices)?;
    let hand_matrices = cuda.upload(&matrices)?;
    let shape = ([MATRICES as u32, 1], [SIDE as u32, ROWS as u32]);
    let mut hand = programs.gpu.by_hand(include_str!("lu.cu"), "decompose", shape.0, shape.1, &[hand_matrices.address()])?;
    let mut by_hand = vec![0.0; matrices.len()];
    // One decomposition of each first: every further one takes its own result for a matrix.
    decompose(&mut ours).launch(MATRICES, (SIDE, ROWS))?;
    programs.gpu.launch(&mut hand)?;
    cuda.download(&hand_matrices, 0, &mut by_hand)?;
    let found = ours.to_host()?;
    check(all_close(&found, &by_hand, 1e-5), "the decompositions, ours or by hand")?;
    for (matrix, found) in matrices.chunks_exact(SIDE * SIDE).zip(found.chunks_exact(SIDE * SIDE)).step_by(1000) {
        let mut matrix = matrix.to_vec();
        expected(&mut matrix);
        check(all_close(found, &matrix, 1e-4), "the decompositions")?;
    }
    programs.compare("LU decomposition", 20, || decompose(&mut ours).launch(MATRICES, (SIDE, ROWS)), &mut hand)
}
