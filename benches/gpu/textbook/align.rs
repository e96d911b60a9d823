//! The scores of all alignments of two sequences of 8192 letters (Needleman and Wunsch), in tiles of 16 × 16 in shared memory: a launch
//! for each diagonal of tiles.

use gpu_benches::by_hand::Arguments;
use gpu_benches::{Result, check};
use gpu_runtime::prelude::*;

use gpu_benches::beside::{ByHand, Gpu, noise};
use gpu_benches::report::Report;

const LEN: usize = 8192;
/// The scores have a row and a column more, for alignments that skip the beginning of a sequence.
const SIDE: usize = LEN + 1;
const TILE: usize = 16;
const TILES: usize = LEN / TILE;
const GAP: i32 = 10;

/// Computes the tiles of a diagonal, a tile per block. `first` is the column of tiles of block 0.
#[gpu_kernel(block = TILE)]
fn align(similarity: &[i32], scores: &mut [i32], side: usize, diagonal: usize, first: usize, gap: i32) {
    let mut tile = shared::<[[i32; TILE + 1]; TILE + 1]>();
    let mut similar = shared::<[[i32; TILE]; TILE]>();
    let t = thread_idx().x;
    let tile_column = first + block_idx().x;
    let tile_row = diagonal - tile_column;
    // The element of `scores` above and to the left of the tile.
    let corner = tile_row * TILE * side + tile_column * TILE;
    for row in 0..TILE {
        similar[row][t] = similarity[corner + (row + 1) * side + t + 1];
    }
    if t == 0 {
        tile[0][0] = scores[corner];
    }
    tile[t + 1][0] = scores[corner + (t + 1) * side];
    tile[0][t + 1] = scores[corner + t + 1];
    sync_threads();
    for step in 0..2 * TILE - 1 {
        if t <= step && step - t < TILE {
            let (row, column) = (step - t + 1, t + 1);
            let matched = tile[row - 1][column - 1] + similar[row - 1][column - 1];
            tile[row][column] = matched.max(tile[row][column - 1] - gap).max(tile[row - 1][column] - gap);
        }
        sync_threads();
    }
    for row in 0..TILE {
        scores[corner + (row + 1) * side + t + 1] = tile[row + 1][t + 1];
    }
}

/// Each diagonal of tiles, with its first column and its number of tiles.
fn diagonals() -> impl Iterator<Item = (usize, usize, usize)> {
    (0..2 * TILES - 1).map(|diagonal| {
        let first = (diagonal + 1).saturating_sub(TILES);
        (diagonal, first, diagonal.min(TILES - 1) - first + 1)
    })
}

pub(crate) fn run(gpu: &Gpu<'_>, report: &mut Report) -> Result<()> {
    let mut random = noise(3);
    let similarity: Vec<i32> = (0..SIDE * SIDE).map(|_| (random() % 21) as i32 - 10).collect();
    let mut expected = vec![0; SIDE * SIDE];
    for i in 0..SIDE {
        (expected[i], expected[i * SIDE]) = (-GAP * i as i32, -GAP * i as i32);
    }
    let device_similarity = gpu.device.to_device(&similarity)?;
    let mut scores = gpu.device.to_device(&expected)?;
    let (hand_similarity, hand_scores) = (gpu.cuda.upload(&similarity)?, gpu.cuda.upload(&expected)?);
    let kernel = gpu.cuda.compile(include_str!("align.cu"), "align")?;
    let mut launches: Vec<ByHand> = diagonals()
        .map(|(diagonal, first, count)| {
            let values = [hand_similarity.address(), hand_scores.address(), SIDE as u64, diagonal as u64, first as u64, GAP as u64];
            ByHand { kernel, grid: [count as u32, 1], block: [TILE as u32, 1], arguments: Arguments::new(&values) }
        })
        .collect();

    let figure = gpu.compare(
        "alignment in tiles",
        2,
        0.98,
        || {
            for (diagonal, first, count) in diagonals() {
                let launch = align(&device_similarity, &mut scores, SIDE, diagonal, first, GAP);
                // SAFETY: each block writes its own tile, and reads what earlier launches wrote.
                unsafe { launch.launch_unchecked(count, TILE)? };
            }
            Ok(())
        },
        || launches.iter_mut().try_for_each(|by_hand| gpu.launch(by_hand)),
    )?;
    for row in 1..SIDE {
        for at in row * SIDE + 1..(row + 1) * SIDE {
            let matched = expected[at - SIDE - 1] + similarity[at];
            expected[at] = matched.max(expected[at - 1] - GAP).max(expected[at - SIDE] - GAP);
        }
    }
    let mut hand_result = vec![0; SIDE * SIDE];
    gpu.cuda.download(&hand_scores, 0, &mut hand_result)?;
    check(hand_result == expected, "the alignment by hand")?;
    check(scores.to_host()? == expected, "our alignment")?;
    report.add(figure);
    Ok(())
}
