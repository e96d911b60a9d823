//! The loss, and its gradient in place of the scores: they are the largest array of a step.

use gpu_runtime::Result;
use gpu_runtime::block::{block_max, block_sum};
use gpu_runtime::prelude::*;

const BLOCK: usize = 1024;

/// A block has the scores of a row, of which the first `vocabulary` are of tokens.
#[gpu_kernel(block = BLOCK)]
fn softmax_and_slopes<T: Float>(targets: &[u32], vocabulary: usize, scores: ViewMut<T, 2>, losses: &mut [f32]) {
    let (row, t) = (block_idx().x, thread_idx().x);
    let [rows, columns] = scores.shape();
    let target = targets[row] as usize;
    let (mut largest, mut total, mut of_target) = (f32::NEG_INFINITY, 0.0, 0.0);
    for c in (t..vocabulary).step_by(BLOCK) {
        let x = scores[[row, c]].cast::<f32>();
        let larger = largest.max(x);
        total = total * (largest - larger).exp() + (x - larger).exp();
        largest = larger;
        if c == target {
            of_target = x;
        }
    }
    let of_row = block_max(largest).await;
    let kept = if total > 0.0 { total * (largest - of_row).exp() } else { 0.0 };
    let total = block_sum(kept).await;
    let of_target = block_sum(of_target).await;
    if t == 0 {
        losses[row] = total.ln() + of_row - of_target;
    }
    for c in (t..columns).step_by(BLOCK) {
        let x = scores[[row, c]].cast::<f32>();
        let probability = if c < vocabulary { (x - of_row).exp() / total } else { 0.0 };
        let slope = if c == target { probability - 1.0 } else { probability };
        scores[[row, c]] = (slope / rows as f32).cast::<T>();
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
