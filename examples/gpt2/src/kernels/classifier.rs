//! The loss, and its gradient in place of the scores: they are the largest array of a step.

use std::f32::consts::LOG2_E;

use gpu_runtime::Result;
use gpu_runtime::block::{block_max, block_sum};
use gpu_runtime::prelude::*;

const BLOCK: usize = 512;

/// Scores that a thread reads at a time: one after the other, it would wait for each.
const EACH: usize = 8;

/// A block has the scores of a row, of which the first `vocabulary` are of tokens.
#[gpu_kernel(block = BLOCK, launch_bounds = (512, 2), fast_math = true)]
fn softmax_and_slopes<T: Float>(targets: &[u32], vocabulary: usize, scores: ViewMut<T, 2>, losses: &mut [f32]) {
    let (row, t) = (block_idx().x, thread_idx().x);
    let [rows, columns] = scores.shape();
    let target = targets[row] as usize;
    assert!(target < vocabulary && vocabulary <= columns && row < rows, "a target is a token, and each token has a score");
    let (mut largest, mut total, mut of_target) = (f32::NEG_INFINITY, 0.0, 0.0);
    for first in (t..vocabulary).step_by(EACH * BLOCK) {
        let mut x = [f32::NEG_INFINITY; EACH];
        let mut larger = f32::NEG_INFINITY;
        #[unroll]
        for k in 0..EACH {
            let column = first + k * BLOCK;
            if column < vocabulary {
                x[k] = scores[[row, column]].cast::<f32>() * LOG2_E;
            }
            larger = larger.max(x[k]);
        }
        if larger > largest {
            total *= (largest - larger).exp2();
            largest = larger;
        }
        #[unroll]
        for k in 0..EACH {
            total += (x[k] - largest).exp2();
            if first + k * BLOCK == target {
                of_target = x[k];
            }
        }
    }
    let of_row = block_max(largest).await;
    let kept = if total > 0.0 { total * (largest - of_row).exp2() } else { 0.0 };
    let total = block_sum(kept).await;
    let of_target = block_sum(of_target).await;
    if t == 0 {
        losses[row] = (total.log2() + of_row - of_target) / LOG2_E;
    }
    let part = 1.0 / rows as f32;
    let part_of_total = part / total;
    for first in (t..columns).step_by(EACH * BLOCK) {
        let mut x = [f32::NEG_INFINITY; EACH];
        #[unroll]
        for k in 0..EACH {
            let column = first + k * BLOCK;
            if column < vocabulary {
                x[k] = scores[[row, column]].cast::<f32>() * LOG2_E;
            }
        }
        #[unroll]
        for k in 0..EACH {
            let column = first + k * BLOCK;
            let probability = (x[k] - of_row).exp2() * part_of_total;
            let slope = if column == target { probability - part } else { probability };
            if column < columns {
                scores[[row, column]] = slope.cast::<T>();
            }
        }
    }
}

/// The loss of each row of scores, which become the gradient of the mean loss.
///
/// # Errors
///
/// As for launches.
pub fn classify_rows<T: Float>(scores: &mut DeviceArray<T>, targets: &DeviceArray<u32>, vocabulary: usize) -> Result<DeviceArray<f32>> {
    let rows = scores.shape()[0];
    let mut losses = scores.device().empty(rows)?;
    softmax_and_slopes(targets, vocabulary, scores, &mut losses).launch(rows, BLOCK)?;
    Ok(losses)
}
