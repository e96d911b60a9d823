//! Loops over tiles, which are pipelines: the tiles of a step are copied while the one before it is computed.

// `DeviceView::t` itself is for one lifetime.
#![allow(clippy::redundant_closure_for_method_calls)]

use gpu_runtime::prelude::*;
use half::{bf16, f16};

use super::tiles::{SIZES, assert_close, numbers, product, samples, softmax_of, transposed};
use crate::bench::{Bench, assert_same, view, view_mut};
use crate::{cases, launch};

cases![
    steps_of_loops_are_more_than_sums,
    operands_of_loops_have_names,
    tiles_of_one_step_fit_into_memory,
    loops_with_an_operand_of_all_steps_may_have_none,
    scores_are_multiplied_without_weights,
    products_run_on_until_they_are_used,
    tiles_have_equal_rows,
    attention_to_earlier_positions,
    attention_to_all_positions_of_a_group,
];

/// `pₙ - (pₙ₋₁ - (… - p₀))` of the products `p` of tiles in a row and a column.
#[gpu_kernel(block = 128)]
pub fn alternating_products(a: View<bf16, 2>, b: View<bf16, 2>, c: ViewMut<f32, 2>) {
    let (i, j) = (block_idx().y, block_idx().x);
    let mut sum = Tile::<f32, 64, 32>::zeros();
    for k in 0..a.tiles(1, 32) {
        let product = a.tile::<64, 32>(i, k).dot(b.tile::<32, 32>(k, j));
        sum = product - sum;
    }
    c.tile_mut(i, j).store(sum);
}

/// Twice the same without tensor cores, whose left operands are computed.
#[gpu_kernel(block = 64)]
pub fn alternating_products_of_doubled(a: View<f32, 2>, b: View<f32, 2>, c: ViewMut<f32, 2>) {
    let (i, j) = (block_idx().y, block_idx().x);
    let mut sum = Tile::<f32, 32, 32>::zeros();
    for k in 0..a.tiles(1, 32) {
        let x = a.tile::<32, 32>(i, k);
        let product = (x + x).dot(b.tile::<32, 32>(j, k).transpose());
        sum = product - sum;
    }
    c.tile_mut(i, j).store(sum);
}

/// `2 a b`, whose left operands are in registers.
#[gpu_kernel(block = 128)]
pub fn product_of_doubled(a: View<f16, 2>, b: View<f16, 2>, c: ViewMut<f32, 2>) {
    let (i, j) = (block_idx().y, block_idx().x);
    let mut sum = Tile::<f32, 64, 64>::zeros();
    for k in 0..a.tiles(1, 64) {
        let x = a.tile::<64, 64>(i, k);
        sum += (x + x).dot(b.tile::<64, 64>(k, j));
    }
    c.tile_mut(i, j).store(sum);
}

fn steps_of_loops_are_more_than_sums(bench: &Bench) {
    // In the last, all operands are copied in pieces.
    for size @ [rows, inner, columns] in SIZES.into_iter().chain([[136, 200, 72]]) {
        let (a, b) = (numbers(rows * inner), numbers(inner * columns));
        let expected = alternating(&a, &b, size, 32);
        let grid = |r: usize, c: usize| (columns.div_ceil(c), rows.div_ceil(r));

        let narrow = |x: &[f32]| x.iter().map(|x| bf16::from_f32(*x)).collect::<Vec<_>>();
        let (mut c, x, y) = (vec![f32::NAN; rows * columns], narrow(&a), narrow(&b));
        let views = (view(&x, [rows, inner]), view(&y, [inner, columns]));
        launch!(bench, alternating_products(views.0, views.1, view_mut(&mut c, [rows, columns])), grid(64, 32), 128);
        assert_same(&c, &expected);

        let (mut c, y) = (vec![f32::NAN; rows * columns], transposed(&b, inner));
        let views = (view(&a, [rows, inner]), view(&y, [columns, inner]));
        launch!(bench, alternating_products_of_doubled(views.0, views.1, view_mut(&mut c, [rows, columns])), grid(32, 32), 64);
        let doubled = |x: &[f32]| x.iter().map(|x| 2.0 * x).collect::<Vec<_>>();
        assert_same(&c, &doubled(&expected));

        let narrow = |x: &[f32]| x.iter().map(|x| f16::from_f32(*x)).collect::<Vec<_>>();
        let (mut c, x, y) = (vec![f32::NAN; rows * columns], narrow(&a), narrow(&b));
        let views = (view(&x, [rows, inner]), view(&y, [inner, columns]));
        launch!(bench, product_of_doubled(views.0, views.1, view_mut(&mut c, [rows, columns])), grid(64, 64), 128);
        assert_same(&c, &doubled(&product(&a, &b, size)));
    }
}

/// `pₙ - (pₙ₋₁ - (… - p₀))` of the products `p` of tiles in a row and a column, which have names.
#[gpu_kernel(block = 128)]
pub fn alternating_products_of_named(a: View<f16, 2>, b: View<f16, 2>, c: ViewMut<f32, 2>) {
    let (i, j) = (block_idx().y, block_idx().x);
    let mut sum = Tile::<f32, 64, 32>::zeros();
    for k in 0..a.tiles(1, 32) {
        let x = a.tile::<64, 32>(i, k);
        let y = b.tile::<32, 32>(k, j);
        let product = x.dot(y);
        sum = product - sum;
    }
    c.tile_mut(i, j).store(sum);
}

/// The same of a row by itself, whose tiles are read twice, and of tiles that are known when they are read.
#[gpu_kernel(block = 64)]
pub fn products_of_known_late(a: View<f32, 2>, c: ViewMut<f32, 2>) {
    let mut sum = Tile::<f32, 16, 16>::zeros();
    let mut late = 0;
    for k in 0..a.tiles(1, 16) {
        let x = a.tile::<16, 16>(0, k);
        let y = a.tile::<16, 16>(0, late);
        sum += x.dot(a.tile::<16, 16>(0, k).transpose()) - (x - x);
        sum += y.dot(a.tile::<16, 16>(0, k).transpose());
        late += 1;
    }
    c.tile_mut(0, 0).store(sum);
}

/// The product with the last of some tiles added, the one before it subtracted, and so on.
fn alternating(a: &[f32], b: &[f32], size @ [_, inner, _]: [usize; 3], step: usize) -> Vec<f32> {
    let steps = inner.div_ceil(step);
    let signed = (0..a.len()).map(|at| if (steps - at % inner / step) % 2 == 1 { a[at] } else { -a[at] });
    product(&signed.collect::<Vec<_>>(), b, size)
}

fn operands_of_loops_have_names(bench: &Bench) {
    for size @ [rows, inner, columns] in [[7, 129, 127], [136, 200, 72]] {
        let (a, b) = (numbers(rows * inner), numbers(inner * columns));
        let narrow = |x: &[f32]| x.iter().map(|x| f16::from_f32(*x)).collect::<Vec<_>>();
        let (mut c, x, y) = (vec![f32::NAN; rows * columns], narrow(&a), narrow(&b));
        let views = (view(&x, [rows, inner]), view(&y, [inner, columns]));
        let grid = (columns.div_ceil(32), rows.div_ceil(64));
        launch!(bench, alternating_products_of_named(views.0, views.1, view_mut(&mut c, [rows, columns])), grid, 128);
        assert_same(&c, &alternating(&a, &b, size, 32));
    }
    let (a, mut c) = (numbers(16 * 72), vec![f32::NAN; 16 * 16]);
    launch!(bench, products_of_known_late(view(&a, [16, 72]), view_mut(&mut c, [16, 16])), 1, 64);
    let twice: Vec<f32> = a.iter().map(|x| 2.0 * x).collect();
    assert_same(&c, &product(&twice, &transposed(&a, 16), [16, 72, 16]));
}

/// The operands of one step fill the shared memory of a Hopper GPU.
#[gpu_kernel(block = 256)]
pub fn alternating_products_of_large(a: View<f32, 2>, b: View<f32, 2>, c: ViewMut<f32, 2>) {
    let mut sum = Tile::<f32, 128, 128>::zeros();
    for k in 0..a.tiles(1, 128) {
        let product = a.tile::<128, 128>(0, k).dot(b.tile::<128, 128>(k, 0));
        sum = product - sum;
    }
    c.tile_mut(0, 0).store(sum);
}

/// The same of less, for a GPU with less.
#[gpu_kernel(block = 256)]
pub fn alternating_products_of_wide(a: View<f32, 2>, b: View<f32, 2>, c: ViewMut<f32, 2>) {
    let mut sum = Tile::<f32, 64, 64>::zeros();
    for k in 0..a.tiles(1, 128) {
        let product = a.tile::<64, 128>(0, k).dot(b.tile::<128, 64>(k, 0));
        sum = product - sum;
    }
    c.tile_mut(0, 0).store(sum);
}

fn tiles_of_one_step_fit_into_memory(bench: &Bench) {
    let size @ [rows, inner, columns] = [128, 392, 128];
    let (a, b) = (numbers(rows * inner), numbers(inner * columns));
    let mut c = vec![f32::NAN; rows * columns];
    let views = (view(&a, [rows, inner]), view(&b, [inner, columns]));
    launch!(bench, alternating_products_of_large(views.0, views.1, view_mut(&mut c, [rows, columns])), 1, 256);
    assert_same(&c, &alternating(&a, &b, size, 128));

    let size @ [rows, inner, columns] = [64, 392, 64];
    let (a, b) = (numbers(rows * inner), numbers(inner * columns));
    let mut c = vec![f32::NAN; rows * columns];
    let views = (view(&a, [rows, inner]), view(&b, [inner, columns]));
    launch!(bench, alternating_products_of_wide(views.0, views.1, view_mut(&mut c, [rows, columns])), 1, 256);
    assert_same(&c, &alternating(&a, &b, size, 128));
}

/// `y b - (y b - … - (x b - (x b - …)))`, of so many tiles `b` for each.
#[gpu_kernel(block = 128)]
pub fn products_in_turn(a: View<bf16, 2>, b: View<bf16, 2>, first: usize, second: usize, c: ViewMut<f32, 2>) {
    let (x, y) = (a.tile::<64, 64>(0, 0), a.tile::<64, 64>(1, 0));
    let mut sum = Tile::<f32, 64, 64>::zeros();
    for k in 0..first {
        sum = x.dot(b.tile::<64, 64>(0, k)) - sum;
    }
    for k in 0..second {
        sum = a.tile::<64, 64>(1, 0).dot(b.tile::<64, 64>(0, k)) - sum;
    }
    for k in second..first {
        sum = y.dot(b.tile::<64, 64>(0, k)) - sum;
    }
    c.tile_mut(0, 0).store(sum);
}

fn loops_with_an_operand_of_all_steps_may_have_none(bench: &Bench) {
    let (a, b) = (numbers(128 * 64), numbers(64 * 192));
    let narrow = |x: &[f32]| x.iter().map(|x| bf16::from_f32(*x)).collect::<Vec<_>>();
    let (of_a, of_b) = (narrow(&a), narrow(&b));
    let of_step = |step: usize| -> Vec<f32> { b.chunks(192).flat_map(|row| row[step * 64..][..64].to_vec()).collect() };
    for [first, second] in [[0, 0], [0, 3], [3, 0], [2, 3], [3, 1]] {
        let mut c = vec![f32::NAN; 64 * 64];
        launch!(bench, products_in_turn(view(&of_a, [128, 64]), view(&of_b, [64, 192]), first, second, view_mut(&mut c, [64, 64])), 1, 128);
        let (x, y) = a.split_at(64 * 64);
        let mut expected = vec![0.0; 64 * 64];
        for (left, step) in (0..first).map(|k| (x, k)).chain((0..second).chain(second..first).map(|k| (y, k))) {
            let next = product(left, &of_step(step), [64; 3]);
            expected = next.iter().zip(&expected).map(|(next, sum)| next - sum).collect();
        }
        assert_same(&c, &expected);
    }
}

/// `(q keysᵀ) v`
#[gpu_kernel(block = 128)]
pub fn linear_attention(q: View<bf16, 2>, keys: View<bf16, 2>, v: View<bf16, 2>, out: ViewMut<f32, 2>) {
    let i = block_idx().x;
    let query = q.tile::<64, 64>(i, 0);
    let mut sum = Tile::<f32, 64, 64>::zeros();
    for j in 0..keys.tiles(0, 64) {
        let scores = query.dot(keys.tile::<64, 64>(j, 0).transpose());
        sum += scores.cast::<bf16>().dot(v.tile::<64, 64>(j, 0));
    }
    out.tile_mut(i, 0).store(sum);
}

/// `(q keysᵀ) keys`, whose two products read the same tiles.
#[gpu_kernel(block = 128)]
pub fn linear_attention_to_keys(q: View<bf16, 2>, keys: View<bf16, 2>, out: ViewMut<f32, 2>) {
    let i = block_idx().x;
    let query = q.tile::<64, 64>(i, 0);
    let mut sum = Tile::<f32, 64, 64>::zeros();
    for j in 0..keys.tiles(0, 64) {
        let scores = query.dot(keys.tile::<64, 64>(j, 0).transpose());
        sum += scores.cast::<bf16>().dot(keys.tile::<64, 64>(j, 0));
    }
    out.tile_mut(i, 0).store(sum);
}

/// The same, where the weights are half of those of the 64 positions after them, of two types of elements.
#[gpu_kernel(block = 256)]
pub fn retention(q: View<f16, 2>, keys: View<f16, 2>, v: View<bf16, 2>, out: ViewMut<f32, 2>) {
    let i = block_idx().x;
    let query = q.tile::<128, 64>(i, 0);
    let mut sum = Tile::<f32, 128, 64>::zeros();
    let mut j = 0;
    while j < keys.tiles(0, 64) {
        let scores = query.dot(keys.tile::<64, 64>(j, 0).transpose()).cast::<bf16>();
        sum *= 0.5;
        sum += scores.dot(v.tile::<64, 64>(j, 0));
        j += 1;
    }
    out.tile_mut(i, 0).store(sum);
}

fn scores_are_multiplied_without_weights(bench: &Bench) {
    const SIZE: usize = 64;
    for length in [1, 70, 264] {
        // Scores are at most 64, which `bf16` has exactly.
        let signs = |seed: usize| -> Vec<f32> { (0..length * SIZE).map(|i| ((i * 7 + i / 13 + seed) % 3) as f32 - 1.0).collect() };
        let (q, k, v) = (signs(0), signs(1), numbers(length * SIZE));
        let wide = |x: &[f32]| x.iter().map(|x| bf16::from_f32(*x)).collect::<Vec<_>>();
        let narrow = |x: &[f32]| x.iter().map(|x| f16::from_f32(*x)).collect::<Vec<_>>();
        let shape = [length, SIZE];
        let scores = product(&q, &transposed(&k, length), [length, SIZE, length]);
        let exact_of = |scores: &[f32], v| product(scores, v, [length, length, SIZE]).into_iter().map(f64::from).collect::<Vec<_>>();
        let exact = |scores: &[f32]| exact_of(scores, &v);

        let (mut out, x, y, z) = (vec![f32::NAN; length * SIZE], wide(&q), wide(&k), wide(&v));
        launch!(
            bench,
            linear_attention(view(&x, shape), view(&y, shape), view(&z, shape), view_mut(&mut out, shape)),
            length.div_ceil(64),
            128
        );
        assert_close(&out, &exact(&scores), 0.0);

        out.fill(f32::NAN);
        launch!(bench, linear_attention_to_keys(view(&x, shape), view(&y, shape), view_mut(&mut out, shape)), length.div_ceil(64), 128);
        assert_close(&out, &exact_of(&scores, &k), 0.0);

        let (mut out, x, y) = (vec![f32::NAN; length * SIZE], narrow(&q), narrow(&k));
        launch!(bench, retention(view(&x, shape), view(&y, shape), view(&z, shape), view_mut(&mut out, shape)), length.div_ceil(128), 256);
        let weight = |at: usize| 0.5f32.powi(((length - 1) / 64 - at % length / 64) as i32);
        let weighted: Vec<f32> = scores.iter().enumerate().map(|(at, score)| score * weight(at)).collect();
        assert_close(&out, &exact(&weighted), 0.0);
    }
}

/// Two sums over all steps, of four products that read two tiles of the step in both orders.
macro_rules! two_sums {
    ($name:ident, $T:ty, block = $block:literal, stages = $stages:literal, $size:literal) => {
        #[gpu_kernel(block = $block, stages = $stages)]
        pub fn $name(a: View<$T, 2>, keys: View<$T, 2>, v: View<$T, 2>, c: ViewMut<f32, 2>, d: ViewMut<f32, 2>) {
            let i = block_idx().x;
            let (x, y) = (a.tile::<$size, $size>(i, 0), a.tile::<$size, $size>(i, 1));
            let mut first = Tile::<f32, $size, $size>::zeros();
            let mut second = Tile::<f32, $size, $size>::zeros();
            for k in 0..keys.tiles(0, $size) {
                let scores = x.dot(keys.tile::<$size, $size>(k, 0).transpose());
                let others = y.dot(v.tile::<$size, $size>(k, 0).transpose());
                first += scores.cast::<$T>().dot(v.tile::<$size, $size>(k, 0));
                let others = others - scores;
                second += others.cast::<$T>().dot(keys.tile::<$size, $size>(k, 0));
            }
            c.tile_mut(i, 0).store(first);
            d.tile_mut(i, 0).store(second);
        }
    };
}

two_sums!(two_sums_of_bf16, bf16, block = 128, stages = 4, 64);
two_sums!(two_sums_of_f16, f16, block = 256, stages = 1, 64);
two_sums!(two_sums_of_f32, f32, block = 64, stages = 2, 32);

fn products_run_on_until_they_are_used(bench: &Bench) {
    macro_rules! check {
        ($kernel:ident, $block:literal, $size:literal, $narrow:expr, $lengths:expr) => {
            for length in $lengths {
                const SIZE: usize = $size;
                let rows = SIZE + 8;
                // The products of signs are at most 64, and their differences 128: all types have them exactly.
                let signs =
                    |count: usize, seed: usize| -> Vec<f32> { (0..count).map(|i| ((i * 7 + i / 13 + seed) % 3) as f32 - 1.0).collect() };
                let (a, keys, v) = (signs(rows * 2 * SIZE, 0), signs(length * SIZE, 1), signs(length * SIZE, 2));
                let half = |at: usize| -> Vec<f32> { a.chunks(2 * SIZE).flat_map(|row| row[at * SIZE..][..SIZE].to_vec()).collect() };
                let of = |x: &[f32], y: &[f32]| product(x, &transposed(y, length), [rows, SIZE, length]);
                let (scores, others) = (of(&half(0), &keys), of(&half(1), &v));
                let others: Vec<f32> = others.iter().zip(&scores).map(|(a, b)| a - b).collect();
                let sum = |x: &[f32], y: &[f32]| product(x, y, [rows, length, SIZE]);

                let narrow = |x: &[f32]| x.iter().map($narrow).collect::<Vec<_>>();
                let (x, y, z) = (narrow(&a), narrow(&keys), narrow(&v));
                let (mut c, mut d) = (vec![f32::NAN; rows * SIZE], vec![f32::NAN; rows * SIZE]);
                let views = (view(&x, [rows, 2 * SIZE]), view(&y, [length, SIZE]), view(&z, [length, SIZE]));
                let results = (view_mut(&mut c, [rows, SIZE]), view_mut(&mut d, [rows, SIZE]));
                launch!(bench, $kernel(views.0, views.1, views.2, results.0, results.1), rows.div_ceil(SIZE), $block);
                let exact = |sums: Vec<f32>| sums.into_iter().map(f64::from).collect::<Vec<_>>();
                assert_close(&c, &exact(sum(&scores, &v)), 0.0);
                assert_close(&d, &exact(sum(&others, &keys)), 0.0);
            }
        };
    }
    check!(two_sums_of_bf16, 128, 64, |x: &f32| bf16::from_f32(*x), [1, 64, 70, 264]);
    check!(two_sums_of_f16, 256, 64, |x: &f32| f16::from_f32(*x), [1, 64, 264]);
    check!(two_sums_of_f32, 64, 32, |x: &f32| *x, [1, 32, 70]);
}

/// Each element less the number of its column.
#[gpu_kernel(block = 128)]
pub fn less_a_row(x: View<f32, 2>, rows: View<f32, 2>, y: ViewMut<f32, 2>) {
    let (i, j) = (block_idx().y, block_idx().x);
    y.tile_mut(i, j).store(x.tile::<64, 32>(i, j) - rows.tile::<64, 32>(0, j));
}

fn tiles_have_equal_rows(bench: &Bench) {
    for [rows, columns] in [[64, 32], [70, 33], [128, 96]] {
        let (x, row, mut y) = (numbers(rows * columns), numbers(columns), vec![f32::NAN; rows * columns]);
        let all = view(&row, [1, columns]).part(|view| view.broadcast_to([64, view.shape()[1]]).expect("rows are repeated"));
        let grid = (columns.div_ceil(32), rows.div_ceil(64));
        launch!(bench, less_a_row(view(&x, [rows, columns]), all, view_mut(&mut y, [rows, columns])), grid, 128);
        let expected: Vec<f32> = x.iter().enumerate().map(|(at, x)| x - row[at % columns]).collect();
        assert_same(&y, &expected);
    }
}

/// Each position attends to itself and to those before it.
#[gpu_kernel(block = 128)]
pub fn attention(q: View<bf16, 2>, keys: View<bf16, 2>, v: View<bf16, 2>, scale: f32, out: ViewMut<f32, 2>) {
    let i = block_idx().x;
    let query = q.tile::<32, 64>(i, 0);
    let mut largest = Column::<f32, 32>::splat(f32::NEG_INFINITY);
    let mut total = Column::<f32, 32>::zeros();
    let mut sum = Tile::<f32, 32, 64>::zeros();
    for j in 0..i + 1 {
        let scores = query.dot(keys.tile::<64, 32>(0, j));
        let scores = scores.map_at(|row, column, x| if j * 32 + column <= i * 32 + row { x * scale } else { f32::NEG_INFINITY });
        let larger = largest.zip(scores.row_max(), |a, b| a.max(b));
        let weights = (scores - larger).map(|x| x.exp());
        let kept = (largest - larger).map(|x| x.exp());
        total = total * kept + weights.row_sum();
        sum *= kept;
        sum += weights.cast::<bf16>().dot(v.tile::<32, 64>(j, 0));
        largest = larger;
    }
    out.tile_mut(i, 0).store(sum / total);
}

fn attention_to_earlier_positions(bench: &Bench) {
    const SIZE: usize = 64;
    for length in [1, 7, 127, 129] {
        let narrow = |seed| samples(length * SIZE, seed).into_iter().map(|x| bf16::from_f32(x * 0.3)).collect::<Vec<_>>();
        let (q, k, v) = (narrow(0.1), narrow(0.2), narrow(0.3));
        let mut out = vec![f32::NAN; length * SIZE];
        let shape = [length, SIZE];
        let keys = view(&k, shape).part(|view| view.t());
        launch!(bench, attention(view(&q, shape), keys, view(&v, shape), 0.125, view_mut(&mut out, shape)), length.div_ceil(32), 128);
        let row = |x: &[bf16], i: usize| x[i * SIZE..(i + 1) * SIZE].iter().map(|x| x.to_f64()).collect::<Vec<f64>>();
        let expected = (0..length).flat_map(|i| {
            let query = row(&q, i);
            let scores: Vec<f64> = (0..=i).map(|j| query.iter().zip(row(&k, j)).map(|(a, b)| a * b).sum::<f64>() * 0.125).collect();
            let weights = softmax_of(&scores);
            (0..SIZE).map(|d| (0..=i).map(|j| weights[j] * row(&v, j)[d]).sum()).collect::<Vec<f64>>()
        });
        // The weights are rounded to the 8 bits of `bf16`.
        assert_close(&out, &expected.collect::<Vec<f64>>(), 4e-3);
    }
}

/// Each position of each head attends to all positions of the head, or to itself and those before it.
#[gpu_kernel(block = 256)]
pub fn attention_of_heads(q: View<bf16, 3>, keys: View<bf16, 3>, v: View<bf16, 3>, scale: f32, to_all: bool, out: ViewMut<bf16, 3>) {
    let (head, i) = (block_idx().y, block_idx().x);
    let positions = keys.shape()[1];
    let query = q.tile::<128, 64>(head, i, 0);
    let mut largest = Column::<f32, 128>::splat(f32::NEG_INFINITY);
    let mut total = Column::<f32, 128>::zeros();
    let mut sum = Tile::<f32, 128, 64>::zeros();
    let end = if to_all { keys.tiles(1, 64) } else { keys.tiles(1, 64).min(2 * i + 2) };
    for j in 0..end {
        let scores = query.dot(keys.tile::<64, 64>(head, j, 0).transpose());
        let last = |row: usize| if to_all { positions } else { positions.min(i * 128 + row + 1) };
        let scores = scores.map_at(|row, column, x| if j * 64 + column < last(row) { x * scale } else { f32::NEG_INFINITY });
        let larger = largest.zip(scores.row_max(), |a, b| a.max(b));
        let weights = (scores - larger).map(|x| x.exp2());
        let kept = (largest - larger).map(|x| x.exp2());
        total = total * kept + weights.row_sum();
        sum *= kept;
        sum += weights.cast::<bf16>().dot(v.tile::<64, 64>(head, j, 0));
        largest = larger;
    }
    out.tile_mut(head, i, 0).store((sum / total).cast::<bf16>());
}

fn attention_to_all_positions_of_a_group(bench: &Bench) {
    const SIZE: usize = 64;
    let heads = 2;
    for (length, to_all) in [(1, true), (70, true), (70, false), (129, true), (300, false), (385, true)] {
        let narrow = |seed| samples(heads * length * SIZE, seed).into_iter().map(bf16::from_f32).collect::<Vec<_>>();
        let (q, k, v) = (narrow(0.1), narrow(0.2), narrow(0.3));
        let mut out = vec![bf16::NAN; q.len()];
        let shape = [heads, length, SIZE];
        let scale = 0.125 * std::f32::consts::LOG2_E;
        let grid = (length.div_ceil(128), heads);
        launch!(
            bench,
            attention_of_heads(view(&q, shape), view(&k, shape), view(&v, shape), scale, to_all, view_mut(&mut out, shape)),
            grid,
            256
        );
        let row =
            |x: &[bf16], head: usize, i: usize| x[(head * length + i) * SIZE..][..SIZE].iter().map(|x| x.to_f64()).collect::<Vec<f64>>();
        let expected = (0..heads * length).flat_map(|at| {
            let (head, i) = (at / length, at % length);
            let end = if to_all { length } else { i + 1 };
            let query = row(&q, head, i);
            let scores = (0..end).map(|j| query.iter().zip(row(&k, head, j)).map(|(a, b)| a * b).sum::<f64>() * 0.125);
            let weights = softmax_of(&scores.collect::<Vec<f64>>());
            let values: Vec<Vec<f64>> = (0..end).map(|j| row(&v, head, j)).collect();
            (0..SIZE).map(|d| weights.iter().zip(&values).map(|(weight, value)| weight * value[d]).sum()).collect::<Vec<f64>>()
        });
        let found: Vec<f32> = out.iter().map(|x| x.to_f32()).collect();
        // Weights and results are rounded to the 8 bits of `bf16`, and results are at most 3.
        assert_close(&found, &expected.collect::<Vec<f64>>(), 0.03);
    }
}
