//! Tiles.

// The kernels are read, not launched.
#![allow(dead_code)]

use gpu_runtime::prelude::*;
use half::bf16;

#[gpu_device]
fn gelu(x: f32) -> f32 {
    0.5 * x * (1.0 + (0.797_884_56 * (x + 0.044_715 * x * x * x)).tanh())
}

#[gpu_kernel(block = 256)]
pub(crate) fn product_of_tiles(a: View<bf16, 2>, b: View<bf16, 2>, c: ViewMut<bf16, 2>) {
    let (i, j) = (block_idx().y, block_idx().x);
    let mut sum = Tile::<f32, 128, 256>::zeros();
    for k in 0..a.tiles(1, 64) {
        sum += a.tile::<128, 64>(i, k).dot(b.tile::<64, 256>(k, j));
    }
    c.tile_mut(i, j).store(sum.map(|x| gelu(x)).cast::<bf16>());
}

#[gpu_kernel(block = 256)]
pub(crate) fn product_and_nothing_else(a: View<bf16, 2>, b: View<bf16, 2>, c: ViewMut<bf16, 2>) {
    let (i, j) = (block_idx().y, block_idx().x);
    let mut sum = Tile::<f32, 128, 256>::zeros();
    for k in 0..a.tiles(1, 64) {
        sum += a.tile::<128, 64>(i, k).dot(b.tile::<64, 256>(k, j));
    }
    c.tile_mut(i, j).store(sum.cast::<bf16>());
}

#[gpu_kernel(block = 128)]
pub(crate) fn steps_of_tiles(a: View<bf16, 2>, weights: View<bf16, 2>, b: View<bf16, 2>, c: ViewMut<f32, 2>) {
    let (i, j) = (block_idx().y, block_idx().x);
    let mut sum = Tile::<f32, 64, 64>::zeros();
    for k in 0..a.tiles(1, 64) {
        let left = a.tile::<64, 64>(i, k);
        let product = left.dot(b.tile::<64, 64>(k, j));
        sum = weights.tile::<64, 64>(i, 0).dot(b.tile::<64, 64>(k, j)) + product * sum;
    }
    c.tile_mut(i, j).store(sum);
}

#[gpu_kernel(block = 128)]
pub(crate) fn attention_of_tiles(q: View<bf16, 2>, keys: View<bf16, 2>, v: View<bf16, 2>, scale: f32, out: ViewMut<f32, 2>) {
    let i = block_idx().x;
    let query = q.tile::<64, 64>(i, 0);
    let mut largest = Column::<f32, 64>::splat(f32::NEG_INFINITY);
    let mut total = Column::<f32, 64>::zeros();
    let mut sum = Tile::<f32, 64, 64>::zeros();
    for j in 0..i + 1 {
        let scores = query.dot(keys.tile::<64, 64>(j, 0).transpose());
        let scores = scores.map_at(|row, column, x| if j * 64 + column <= i * 64 + row { x * scale } else { f32::NEG_INFINITY });
        let larger = largest.zip(scores.row_max(), |a, b| a.max(b));
        let weights = (scores - larger).map(|x| x.exp());
        let kept = (largest - larger).map(|x| x.exp());
        total = total * kept + weights.row_sum();
        sum *= kept;
        sum += weights.cast::<bf16>().dot(v.tile::<64, 64>(j, 0));
        largest = larger;
    }
    out.tile_mut(i, 0).store(sum / total);
}

/// `a bᵀ`, whose operands tensor cores read as they lie.
#[gpu_kernel(block = 256)]
pub(crate) fn product_in_tf32(a: View<f32, 2>, b: View<f32, 2>, c: ViewMut<f32, 2>) {
    let (i, j) = (block_idx().y, block_idx().x);
    let mut sum = Tile::<f32, 128, 256>::zeros();
    for k in 0..a.tiles(1, 32) {
        sum += a.tile::<128, 32>(i, k).dot_tf32(b.tile::<256, 32>(j, k).transpose());
    }
    c.tile_mut(i, j).store(sum);
}

/// Products of all elements that tensor cores multiply, in both orders.
#[gpu_kernel(block = 128)]
pub(crate) fn products_of_all_elements(
    single: View<f32, 2>,
    double: View<f64, 2>,
    small: View<i8, 2>,
    c: ViewMut<f32, 2>,
    d: ViewMut<f64, 2>,
    e: ViewMut<i32, 2>,
) {
    let (i, j) = (block_idx().y, block_idx().x);
    let single = single.tile::<64, 32>(i, 0).dot_tf32(single.tile::<32, 64>(0, j));
    c.tile_mut(i, j).store(single);
    let double = double.tile::<64, 32>(i, 0).dot(double.tile::<32, 64>(0, j));
    d.tile_mut(i, j).store(double);
    let product = small.tile::<64, 16>(i, 0).dot(small.tile::<16, 64>(0, j));
    e.tile_mut(i, j).store(product + small.tile::<64, 32>(i, 0).dot(small.tile::<64, 32>(j, 0).transpose()));
}
