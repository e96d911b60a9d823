//! The kernels of a layer. A warp multiplies two rows of a matrix by the activations, and lane 0 has what comes of it.
//!
//! A lane takes a block of 32 weights of each of the two rows, and the same 32 activations, in eight vectors of four. So that lanes side by side read
//! vectors side by side, vector `g` of block `c` of the activations is at `[g, c]`. The rows of the matrices that produce activations stand in this
//! order too: see [`activation_order`](crate::model::activation_order).

use gpu_runtime::prelude::*;
use gpu_runtime::vector::Uint4;
use half::f16;

/// Threads of a block, four warps.
pub const BLOCK: usize = 128;
/// Pairs of rows of a matrix that a block multiplies, one in each warp.
pub const PAIRS: usize = BLOCK / WARP_SIZE;
/// Elements of a head.
pub const HEAD: usize = 64;
/// Pairs of rows of the output that a block multiplies, one in four lanes.
pub const OUTPUT_PAIRS: usize = BLOCK / 4;

/// A matrix whose elements have 4 bits, in pairs of rows: `[pair, block, row of the pair]`.
#[derive(KernelData, GraphData)]
pub struct Matrix {
    /// 32 elements: the lower halves of the 16 bytes are the first 16.
    pub quants: DeviceArray<Uint4>,
    /// Scale and offset of the block of the first row, and of that of the second.
    pub scales: DeviceArray<[f16; 4]>,
    /// Blocks of a row.
    pub blocks: usize,
}

/// The output, and the embeddings of the tokens: a matrix whose elements have 8 bits, in pairs of rows: `[pair, block, half of the block, row]`.
#[derive(KernelData, GraphData)]
pub struct Vocabulary {
    /// 16 elements.
    pub quants: DeviceArray<Uint4>,
    /// Scales of the block of the first row, and of that of the second.
    pub scales: DeviceArray<[f16; 2]>,
    /// Blocks of a row.
    pub blocks: usize,
}

/// The four lowest bits of each byte. A GPU converts a byte of a word by one instruction, and so the mask comes first.
#[gpu_device]
fn low_halves(word: u32) -> Float4 {
    let word = word & 0x0f0f_0f0f;
    Float4::new((word & 255) as f32, (word >> 8 & 255) as f32, (word >> 16 & 255) as f32, (word >> 24) as f32)
}

/// Each byte, with a sign.
#[gpu_device]
fn bytes(word: u32) -> Float4 {
    Float4::new(word as i8 as f32, (word >> 8) as i8 as f32, (word >> 16) as i8 as f32, (word >> 24) as i8 as f32)
}

/// The sum of the products of 32 elements.
#[gpu_device]
fn products(weights: Uint4, x: [Float4; 8]) -> f32 {
    let words = [weights.x, weights.y, weights.z, weights.w];
    let mut sum = 0.0;
    #[unroll]
    for g in 0..4 {
        sum += low_halves(words[g]).dot(x[g]) + low_halves(words[g] >> 4).dot(x[g + 4]);
    }
    sum
}

/// A block of the activations of position `y`. The condition shows that all indices are in bounds.
#[gpu_device]
fn block_of(x: View<Float4, 3>, y: usize, block: usize) -> [Float4; 8] {
    let zero = Float4::splat(0.0);
    let mut vectors = [zero; 8];
    let [positions, groups, blocks] = x.shape();
    if y < positions && 8 <= groups && block < blocks {
        #[unroll]
        for g in 0..8 {
            vectors[g] = x[[y, g, block]];
        }
    }
    vectors
}

/// The products of a pair of rows and activations times gains, of which `x` and `gain` return a block, and the sum of the squares of the activations,
/// which their norm needs.
#[gpu_device]
async fn two_rows(
    quants: &[Uint4],
    scales: &[[f16; 4]],
    blocks: usize,
    pair: usize,
    x: impl Fn(usize) -> [Float4; 8],
    gain: impl Fn(usize) -> [Float4; 8],
) -> (f32, f32, f32) {
    let (mut first, mut second, mut squares) = (0.0, 0.0, 0.0);
    // The last warp of a grid may have no rows.
    let of_warp = if (pair + 1) * blocks <= scales.len() { blocks } else { 0 };
    for block in (lane_id()..of_warp).step_by(WARP_SIZE) {
        let at = pair * blocks + block;
        let (a, b) = (quants[2 * at], quants[2 * at + 1]);
        let [scale_a, offset_a, scale_b, offset_b] = scales[at];
        let (mut activations, gains): ([Float4; 8], [Float4; 8]) = (x(block), gain(block));
        let mut sum = 0.0;
        #[unroll]
        for g in 0..8 {
            squares += activations[g].dot(activations[g]);
            activations[g] *= gains[g];
            sum += activations[g].reduce_sum();
        }
        first += scale_a.to_f32() * products(a, activations) + offset_a.to_f32() * sum;
        second += scale_b.to_f32() * products(b, activations) + offset_b.to_f32() * sum;
    }
    (warp_sum(first), warp_sum(second), warp_sum(squares))
}

/// What the norm multiplies activations by. `blocks` blocks of 32 have this sum of squares.
#[gpu_device]
fn norm(squares: f32, blocks: usize, epsilon: f32) -> f32 {
    1.0 / (squares / (32 * blocks) as f32 + epsilon).sqrt()
}

/// The embeddings of tokens. A thread copies four elements: `x` is `[position, g, block]`.
#[gpu_kernel]
pub fn embed(vocabulary: &Vocabulary, tokens: &[u32], x: ViewMut<Float4, 3>) {
    let (block, g, y) = grid_3d();
    let [positions, groups, blocks] = x.shape();
    if y < positions && g < groups && block < blocks {
        let token = tokens[y] as usize;
        let at = token / 2 * vocabulary.blocks + block;
        let weights = vocabulary.quants[(2 * at + g / 4) * 2 + token % 2];
        let words = [weights.x, weights.y, weights.z, weights.w];
        let elements: Float4 = bytes(words[g % 4]);
        x[[y, g, block]] = elements * vocabulary.scales[at][token % 2].to_f32();
    }
}

/// Norm, queries, keys and values, and the rotation of the first two by their position. `turns` has the cosines and sines of the positions.
#[gpu_kernel(block = BLOCK)]
#[allow(clippy::too_many_arguments)]
pub fn queries_keys_values(
    matrix: &Matrix,
    gain: View<Float4, 3>,
    epsilon: f32,
    x: View<Float4, 3>,
    position: &[u32],
    turns: View<Float2, 2>,
    queries: ViewMut<Float2, 2>,
    keys: ViewMut<Float2, 2>,
    values: ViewMut<Float2, 2>,
) {
    let (pair, y) = (block_idx().x * PAIRS + warp_id(), block_idx().y);
    let (query_pairs, key_pairs) = (queries.shape()[1], keys.shape()[1]);
    let blocks = matrix.blocks;
    let at = position[0] as usize + y;
    let turn = turns[[at, pair % (HEAD / 2)]];
    let (a, b, squares): (f32, f32, f32) = two_rows(
        &matrix.quants,
        &matrix.scales,
        blocks,
        pair,
        |block: usize| block_of(x, y, block),
        |block: usize| block_of(gain, 0, block),
    )
    .await;
    let scale: f32 = norm(squares, blocks, epsilon);
    let both = Float2::new(a, b) * scale;
    if lane_id() == 0 {
        if pair < query_pairs + key_pairs {
            let turned = Float2::new(both.x * turn.x - both.y * turn.y, both.x * turn.y + both.y * turn.x);
            if pair < query_pairs {
                queries[[y, pair]] = turned;
            } else {
                keys[[at, pair - query_pairs]] = turned;
            }
        } else if pair < query_pairs + 2 * key_pairs {
            values[[at, pair - query_pairs - key_pairs]] = both;
        }
    }
}

/// Adds the products of a matrix and `input` to `x`.
#[gpu_kernel(block = BLOCK)]
pub fn add_product(matrix: &Matrix, input: View<Float4, 3>, x: ViewMut<Float2, 2>) {
    let (pair, y) = (block_idx().x * PAIRS + warp_id(), block_idx().y);
    let blocks = matrix.blocks;
    let one = Float4::splat(1.0);
    let (a, b, _): (f32, f32, f32) =
        two_rows(&matrix.quants, &matrix.scales, blocks, pair, |block: usize| block_of(input, y, block), |_block: usize| [one; 8]).await;
    if lane_id() == 0 && pair < x.shape()[1] {
        x[[y, pair]] += Float2::new(a, b);
    }
}

/// Norm, and a layer with a gate: the rows of a pair are one of the gate and one of what it lets through.
#[gpu_kernel(block = BLOCK)]
pub fn gated(matrix: &Matrix, gain: View<Float4, 3>, epsilon: f32, x: View<Float4, 3>, hidden: ViewMut<f32, 2>) {
    let (pair, y) = (block_idx().x * PAIRS + warp_id(), block_idx().y);
    let blocks = matrix.blocks;
    let (gate, up, squares): (f32, f32, f32) = two_rows(
        &matrix.quants,
        &matrix.scales,
        blocks,
        pair,
        |block: usize| block_of(x, y, block),
        |block: usize| block_of(gain, 0, block),
    )
    .await;
    let scale: f32 = norm(squares, blocks, epsilon);
    if lane_id() == 0 && pair < hidden.shape()[1] {
        let gate = gate * scale;
        hidden[[y, pair]] = gate / (1.0 + (-gate).exp()) * (up * scale);
    }
}

/// The sum over the lanes of this one's number in groups of 8.
#[gpu_device]
async fn sum_of_groups(x: f32) -> f32 {
    let x = x + warp_shuffle_xor(x, 8);
    x + warp_shuffle_xor(x, 16)
}

#[gpu_device]
async fn vector_of_groups(v: Float4, scale: f32) -> Float4 {
    let x: f32 = sum_of_groups(v.x * scale).await;
    let y: f32 = sum_of_groups(v.y * scale).await;
    let z: f32 = sum_of_groups(v.z * scale).await;
    let w: f32 = sum_of_groups(v.w * scale).await;
    Float4::new(x, y, z, w)
}

/// Threads of a block of `attention`, and its warps.
pub const ATTENTION_BLOCK: usize = 512;
const WARPS: usize = ATTENTION_BLOCK / WARP_SIZE;

/// Attention of one head at one position to all positions up to it. Eight lanes read one key, and a block reads 64 at a time. Each eight lanes keep a
/// sum of values with the weights `exp(score - largest)`; in the end, all of them are brought to one `largest`. `out` is `[position, g, block]`.
#[gpu_kernel(block = ATTENTION_BLOCK)]
pub fn attention(queries: View<Float4, 2>, keys: View<Float4, 2>, values: View<Float4, 2>, position: &[u32], out: ViewMut<Float4, 3>) {
    let mut sums = shared::<[[Float4; 16]; WARPS]>();
    let mut totals = shared::<[f32; WARPS]>();
    let mut maxima = shared::<[f32; WARPS]>();
    let (t, head, y) = (thread_idx().x, block_idx().x, block_idx().y);
    let of_each = queries.shape()[1] / keys.shape()[1];
    let (lane, column) = (t % 8, head / of_each * 16 + t % 8);
    let (a, b) = (queries[[y, head * 16 + lane]], queries[[y, head * 16 + lane + 8]]);
    let (mut largest, mut total) = (-1e30f32, 0.0);
    let (mut low, mut high) = (Float4::splat(0.0), Float4::splat(0.0));
    let count = position[0] as usize + y + 1;
    for first in (0..count).step_by(ATTENTION_BLOCK / 8) {
        let at = first + t / 8;
        let row = at.min(count - 1);
        let (low_value, high_value) = (values[[row, column]], values[[row, column + 8]]);
        let products = a.dot(keys[[row, column]]) + b.dot(keys[[row, column + 8]]);
        let products = products + warp_shuffle_xor(products, 1);
        let products = products + warp_shuffle_xor(products, 2);
        let products = products + warp_shuffle_xor(products, 4);
        let score = if at < count { products / (HEAD as f32).sqrt() } else { f32::NEG_INFINITY };
        let larger = largest.max(score);
        let (kept, weight) = ((largest - larger).exp(), (score - larger).exp());
        low = low * kept + low_value * weight;
        high = high * kept + high_value * weight;
        total = total * kept + weight;
        largest = larger;
    }
    let of_warp = warp_max(largest);
    let scale = (largest - of_warp).exp();
    let low: Float4 = vector_of_groups(low, scale).await;
    let high: Float4 = vector_of_groups(high, scale).await;
    let total: f32 = sum_of_groups(total * scale).await;
    if lane_id() < 8 {
        sums[warp_id()][lane_id()] = low;
        sums[warp_id()][lane_id() + 8] = high;
    }
    if lane_id() == 0 {
        totals[warp_id()] = total;
        maxima[warp_id()] = of_warp;
    }
    sync_threads();
    if t < 16 {
        let mut largest = maxima[0];
        for warp in 1..WARPS {
            largest = largest.max(maxima[warp]);
        }
        let (mut sum, mut total) = (Float4::splat(0.0), 0.0);
        for warp in 0..WARPS {
            let scale = (maxima[warp] - largest).exp();
            sum += sums[warp][t] * scale;
            total += totals[warp] * scale;
        }
        out[[y, t % 8, 2 * head + t / 8]] = sum / total;
    }
}

/// Norm, and the score of each token after position `y`. Four lanes multiply two rows.
#[gpu_kernel(block = BLOCK)]
pub fn output(vocabulary: &Vocabulary, gain: &[Float4], epsilon: f32, x: &[Float4], y: usize, scores: &mut [Float2]) {
    let pair = grid_1d() / 4;
    let blocks = vocabulary.blocks;
    let (mut first, mut second, mut squares) = (0.0, 0.0, 0.0);
    if pair < scores.len() {
        for half in (grid_1d() % 4..2 * blocks).step_by(4) {
            let (block, at) = (half / 2, 2 * (pair * 2 * blocks + half));
            let (a, b) = (vocabulary.quants[at], vocabulary.quants[at + 1]);
            let (a, b) = ([a.x, a.y, a.z, a.w], [b.x, b.y, b.z, b.w]);
            let [scale_a, scale_b] = vocabulary.scales[pair * blocks + block];
            let (mut sum_a, mut sum_b) = (0.0, 0.0);
            #[unroll]
            for k in 0..4 {
                let i = (half % 2 * 4 + k) * blocks + block;
                let mut activations = x[y * 8 * blocks + i];
                squares += activations.dot(activations);
                activations *= gain[i];
                sum_a += bytes(a[k]).dot(activations);
                sum_b += bytes(b[k]).dot(activations);
            }
            first += scale_a.to_f32() * sum_a;
            second += scale_b.to_f32() * sum_b;
        }
    }
    let first: f32 = sum_of_four(first).await;
    let second: f32 = sum_of_four(second).await;
    let squares: f32 = sum_of_four(squares).await;
    let scale: f32 = norm(squares, blocks, epsilon);
    if grid_1d() % 4 == 0 && pair < scores.len() {
        scores[pair] = Float2::new(first, second) * scale;
    }
}

/// The sum over four lanes.
#[gpu_device]
async fn sum_of_four(x: f32) -> f32 {
    let x = x + warp_shuffle_xor(x, 1);
    x + warp_shuffle_xor(x, 2)
}

/// `count` positions on, and the most likely token is the first one of the next step.
#[gpu_kernel]
pub fn advance(best: &[usize], count: u32, tokens: &mut [u32], position: &mut [u32]) {
    if grid_1d() == 0 {
        tokens[0] = best[0] as u32;
        position[0] += count;
    }
}
