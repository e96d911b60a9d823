//! Tiles: products of elements that tensor cores read in one order only (TF32, `i8`) or one by one (`f64`), of every layout in memory.

use gpu_runtime::prelude::*;

use super::tiles::{SIZES, numbers, product, transposed};
use crate::bench::{Bench, assert_same, view, view_mut};
use crate::{cases, launch};

cases![products_of_tf32, products_of_small_integers, products_of_doubles, tf32_is_cut_off, computed_operands_are_turned, scores_in_tf32];

/// Sizes of tiles, and one whose rows begin at multiples of 16 bytes, with more steps than are loaded ahead.
fn sizes() -> impl Iterator<Item = [usize; 3]> {
    SIZES.into_iter().chain([[130, 464, 144]])
}

/// Launches a kernel with tiles of `$tile` rows and columns, whose operands lie transposed if `$across`, for each size.
macro_rules! check_products {
    ($bench:ident, $kernel:ident, $T:ty => $S:ty, [$rows:literal, $columns:literal], $block:literal, [$a_across:literal, $b_across:literal]) => {
        for size @ [rows, inner, columns] in sizes() {
            let (a, b) = (numbers(rows * inner), numbers(inner * columns));
            let expected: Vec<$S> = product(&a, &b, size).into_iter().map(|x| x as $S).collect();
            let elements = |x: &[f32]| x.iter().map(|x| *x as $T).collect::<Vec<$T>>();
            let (a, shape_a) = if $a_across { (transposed(&a, rows), [inner, rows]) } else { (a, [rows, inner]) };
            let (b, shape_b) = if $b_across { (transposed(&b, inner), [columns, inner]) } else { (b, [inner, columns]) };
            let (a, b) = (elements(&a), elements(&b));
            let mut c = vec![<$S>::MAX; rows * columns];
            let grid = (columns.div_ceil($columns), rows.div_ceil($rows));
            launch!($bench, $kernel(view(&a, shape_a), view(&b, shape_b), view_mut(&mut c, [rows, columns])), grid, $block);
            assert_same(&c, &expected);
        }
    };
}

#[gpu_kernel(block = 256)]
pub fn tf32_128_32_128_plain(a: View<f32, 2>, b: View<f32, 2>, c: ViewMut<f32, 2>) {
    let (i, j) = (block_idx().y, block_idx().x);
    let mut sum = Tile::<f32, 128, 128>::zeros();
    for k in 0..a.tiles(1, 32) {
        sum += a.tile::<128, 32>(i, k).dot_tf32(b.tile::<32, 128>(k, j));
    }
    c.tile_mut(i, j).store(sum);
}

#[gpu_kernel(block = 256)]
pub fn tf32_256_32_128_plain(a: View<f32, 2>, b: View<f32, 2>, c: ViewMut<f32, 2>) {
    let (i, j) = (block_idx().y, block_idx().x);
    let mut sum = Tile::<f32, 256, 128>::zeros();
    for k in 0..a.tiles(1, 32) {
        sum += a.tile::<256, 32>(i, k).dot_tf32(b.tile::<32, 128>(k, j));
    }
    c.tile_mut(i, j).store(sum);
}

/// The sum does not begin with zeros.
#[gpu_kernel(block = 256)]
pub fn tf32_128_32_256_left_transposed(a: View<f32, 2>, b: View<f32, 2>, c: ViewMut<f32, 2>) {
    let (i, j) = (block_idx().y, block_idx().x);
    let mut sum = Tile::<f32, 128, 256>::splat(5.0).map_at(|row, column, x| x + (row * 256 + column) as f32);
    for k in 0..a.tiles(0, 32) {
        sum += a.tile::<32, 128>(k, i).transpose().dot_tf32(b.tile::<32, 256>(k, j));
    }
    c.tile_mut(i, j).store(sum.map_at(|row, column, x| x - 5.0 - (row * 256 + column) as f32));
}

#[gpu_kernel(block = 256)]
pub fn tf32_128_32_64_both_transposed(a: View<f32, 2>, b: View<f32, 2>, c: ViewMut<f32, 2>) {
    let (i, j) = (block_idx().y, block_idx().x);
    let mut sum = Tile::<f32, 128, 64>::zeros();
    for k in 0..a.tiles(0, 32) {
        sum += a.tile::<32, 128>(k, i).transpose().dot_tf32(b.tile::<64, 32>(j, k).transpose());
    }
    c.tile_mut(i, j).store(sum);
}

#[gpu_kernel(block = 256)]
pub fn tf32_64_64_256_right_transposed(a: View<f32, 2>, b: View<f32, 2>, c: ViewMut<f32, 2>) {
    let (i, j) = (block_idx().y, block_idx().x);
    let mut sum = Tile::<f32, 64, 256>::zeros();
    for k in 0..a.tiles(1, 64) {
        sum += a.tile::<64, 64>(i, k).dot_tf32(b.tile::<256, 64>(j, k).transpose());
    }
    c.tile_mut(i, j).store(sum);
}

#[gpu_kernel(block = 64)]
pub fn tf32_32_16_64_plain(a: View<f32, 2>, b: View<f32, 2>, c: ViewMut<f32, 2>) {
    let (i, j) = (block_idx().y, block_idx().x);
    let mut sum = Tile::<f32, 32, 64>::zeros();
    for k in 0..a.tiles(1, 16) {
        sum += a.tile::<32, 16>(i, k).dot_tf32(b.tile::<16, 64>(k, j));
    }
    c.tile_mut(i, j).store(sum);
}

#[gpu_kernel(block = 128)]
pub fn tf32_64_16_16_left_transposed(a: View<f32, 2>, b: View<f32, 2>, c: ViewMut<f32, 2>) {
    let (i, j) = (block_idx().y, block_idx().x);
    let mut sum = Tile::<f32, 64, 16>::zeros();
    for k in 0..a.tiles(0, 16) {
        sum += a.tile::<16, 64>(k, i).transpose().dot_tf32(b.tile::<16, 16>(k, j));
    }
    c.tile_mut(i, j).store(sum);
}

/// The left operand is larger than all shared memory.
#[gpu_kernel(block = 1024)]
pub fn f32_256_256_16_computed(a: View<f32, 2>, b: View<f32, 2>, c: ViewMut<f32, 2>) {
    let (i, j) = (block_idx().y, block_idx().x);
    let mut sum = Tile::<f32, 256, 16>::zeros();
    for k in 0..a.tiles(1, 256) {
        let x = a.tile::<256, 256>(i, k);
        sum += (x * 1.0).dot(b.tile::<256, 16>(k, j));
    }
    c.tile_mut(i, j).store(sum);
}

fn products_of_tf32(bench: &Bench) {
    check_products!(bench, f32_256_256_16_computed, f32 => f32, [256, 16], 1024, [false, false]);
    check_products!(bench, tf32_128_32_128_plain, f32 => f32, [128, 128], 256, [false, false]);
    check_products!(bench, tf32_256_32_128_plain, f32 => f32, [256, 128], 256, [false, false]);
    check_products!(bench, tf32_128_32_256_left_transposed, f32 => f32, [128, 256], 256, [true, false]);
    check_products!(bench, tf32_128_32_64_both_transposed, f32 => f32, [128, 64], 256, [true, true]);
    check_products!(bench, tf32_64_64_256_right_transposed, f32 => f32, [64, 256], 256, [false, true]);
    check_products!(bench, tf32_32_16_64_plain, f32 => f32, [32, 64], 64, [false, false]);
    check_products!(bench, tf32_64_16_16_left_transposed, f32 => f32, [64, 16], 128, [true, false]);
}

#[gpu_kernel(block = 256)]
pub fn i8_128_64_128_plain(a: View<i8, 2>, b: View<i8, 2>, c: ViewMut<i32, 2>) {
    let (i, j) = (block_idx().y, block_idx().x);
    let mut sum = Tile::<i32, 128, 128>::zeros();
    for k in 0..a.tiles(1, 64) {
        sum += a.tile::<128, 64>(i, k).dot(b.tile::<64, 128>(k, j));
    }
    c.tile_mut(i, j).store(sum);
}

#[gpu_kernel(block = 256)]
pub fn i8_128_128_64_right_transposed(a: View<i8, 2>, b: View<i8, 2>, c: ViewMut<i32, 2>) {
    let (i, j) = (block_idx().y, block_idx().x);
    let mut sum = Tile::<i32, 128, 64>::zeros();
    for k in 0..a.tiles(1, 128) {
        sum += a.tile::<128, 128>(i, k).dot(b.tile::<64, 128>(j, k).transpose());
    }
    c.tile_mut(i, j).store(sum);
}

#[gpu_kernel(block = 128)]
pub fn i8_64_16_16_both_transposed(a: View<i8, 2>, b: View<i8, 2>, c: ViewMut<i32, 2>) {
    let (i, j) = (block_idx().y, block_idx().x);
    let mut sum = Tile::<i32, 64, 16>::zeros();
    for k in 0..a.tiles(0, 16) {
        sum += a.tile::<16, 64>(k, i).transpose().dot(b.tile::<16, 16>(j, k).transpose());
    }
    c.tile_mut(i, j).store(sum);
}

#[gpu_kernel(block = 64)]
pub fn i8_32_16_64_right_transposed(a: View<i8, 2>, b: View<i8, 2>, c: ViewMut<i32, 2>) {
    let (i, j) = (block_idx().y, block_idx().x);
    let mut sum = Tile::<i32, 32, 64>::zeros();
    for k in 0..a.tiles(1, 16) {
        sum += a.tile::<32, 16>(i, k).dot(b.tile::<64, 16>(j, k).transpose());
    }
    c.tile_mut(i, j).store(sum);
}

#[gpu_kernel(block = 128)]
pub fn i8_32_32_128_plain(a: View<i8, 2>, b: View<i8, 2>, c: ViewMut<i32, 2>) {
    let (i, j) = (block_idx().y, block_idx().x);
    let mut sum = Tile::<i32, 32, 128>::zeros();
    for k in 0..a.tiles(1, 32) {
        sum += a.tile::<32, 32>(i, k).dot(b.tile::<32, 128>(k, j));
    }
    c.tile_mut(i, j).store(sum);
}

/// Of so many threads, each has fewer registers than an instruction for all columns has sums.
#[gpu_kernel(block = 1024)]
pub fn i8_256_64_256_plain(a: View<i8, 2>, b: View<i8, 2>, c: ViewMut<i32, 2>) {
    let (i, j) = (block_idx().y, block_idx().x);
    let mut sum = Tile::<i32, 256, 256>::zeros();
    for k in 0..a.tiles(1, 64) {
        sum += a.tile::<256, 64>(i, k).dot(b.tile::<64, 256>(k, j));
    }
    c.tile_mut(i, j).store(sum);
}

fn products_of_small_integers(bench: &Bench) {
    check_products!(bench, i8_256_64_256_plain, i8 => i32, [256, 256], 1024, [false, false]);
    check_products!(bench, i8_128_64_128_plain, i8 => i32, [128, 128], 256, [false, false]);
    check_products!(bench, i8_128_128_64_right_transposed, i8 => i32, [128, 64], 256, [false, true]);
    check_products!(bench, i8_64_16_16_both_transposed, i8 => i32, [64, 16], 128, [true, true]);
    check_products!(bench, i8_32_16_64_right_transposed, i8 => i32, [32, 64], 64, [false, true]);
    check_products!(bench, i8_32_32_128_plain, i8 => i32, [32, 128], 128, [false, false]);
}

#[gpu_kernel(block = 128)]
pub fn f64_64_32_32_plain(a: View<f64, 2>, b: View<f64, 2>, c: ViewMut<f64, 2>) {
    let (i, j) = (block_idx().y, block_idx().x);
    let mut sum = Tile::<f64, 64, 32>::zeros();
    for k in 0..a.tiles(1, 32) {
        sum += a.tile::<64, 32>(i, k).dot(b.tile::<32, 32>(k, j));
    }
    c.tile_mut(i, j).store(sum);
}

#[gpu_kernel(block = 64)]
pub fn f64_16_16_64_both_transposed(a: View<f64, 2>, b: View<f64, 2>, c: ViewMut<f64, 2>) {
    let (i, j) = (block_idx().y, block_idx().x);
    let mut sum = Tile::<f64, 16, 64>::zeros();
    for k in 0..a.tiles(0, 16) {
        sum += a.tile::<16, 16>(k, i).transpose().dot(b.tile::<64, 16>(j, k).transpose());
    }
    c.tile_mut(i, j).store(sum);
}

fn products_of_doubles(bench: &Bench) {
    check_products!(bench, f64_64_32_32_plain, f64 => f64, [64, 32], 128, [false, false]);
    check_products!(bench, f64_16_16_64_both_transposed, f64 => f64, [16, 64], 64, [true, true]);
}

/// Numbers with more than 10 bits after the point.
fn tf32_is_cut_off(bench: &Bench) {
    let size @ [rows, inner, columns] = [128, 32, 128];
    let a: Vec<f32> = (0..rows * inner).map(|i| 1.0 + i as f32 / 4096.0).collect();
    let b: Vec<f32> = (0..inner * columns).map(|i| if i / columns == i % columns % inner { -1.0 - 3.0 / 4096.0 } else { 0.0 }).collect();
    let cut = |x: &[f32]| x.iter().map(|x| f32::from_bits(x.to_bits() & 0xffff_e000)).collect::<Vec<_>>();
    let expected = product(&cut(&a), &cut(&b), size);
    let mut c = vec![f32::NAN; rows * columns];
    launch!(
        bench,
        tf32_128_32_128_plain(view(&a, [rows, inner]), view(&b, [inner, columns]), view_mut(&mut c, [rows, columns])),
        (1, 1),
        256
    );
    assert_same(&c, &expected);
}

/// `(a + a) (b - b / 2)`, of operands in registers.
#[gpu_kernel(block = 128)]
pub fn product_of_computed_tf32(a: View<f32, 2>, b: View<f32, 2>, c: ViewMut<f32, 2>) {
    let (i, j) = (block_idx().y, block_idx().x);
    let mut sum = Tile::<f32, 64, 32>::zeros();
    for k in 0..a.tiles(1, 32) {
        let left = a.tile::<64, 32>(i, k).map(|x| x + x);
        let right = b.tile::<32, 32>(k, j).map(|x| x - 0.5 * x);
        sum += left.dot_tf32(right);
    }
    c.tile_mut(i, j).store(sum);
}

/// The same of integers, with a step that is half of what an instruction multiplies.
#[gpu_kernel(block = 128)]
pub fn product_of_computed_i8(a: View<i8, 2>, b: View<i8, 2>, c: ViewMut<i32, 2>) {
    let (i, j) = (block_idx().y, block_idx().x);
    let mut sum = Tile::<i32, 64, 16>::zeros();
    for k in 0..a.tiles(1, 16) {
        let left = a.tile::<64, 16>(i, k).map(|x| x.wrapping_add(x));
        let right = b.tile::<16, 16>(k, j).map(|x| x.wrapping_neg());
        sum += left.dot(right);
    }
    c.tile_mut(i, j).store(sum);
}

/// The same with the right operand where it is.
#[gpu_kernel(block = 128)]
pub fn product_of_doubled_i8(a: View<i8, 2>, b: View<i8, 2>, c: ViewMut<i32, 2>) {
    let (i, j) = (block_idx().y, block_idx().x);
    let mut sum = Tile::<i32, 64, 16>::zeros();
    for k in 0..a.tiles(1, 16) {
        let left = a.tile::<64, 16>(i, k).map(|x| x.wrapping_add(x));
        sum += left.dot(b.tile::<16, 16>(k, j));
    }
    c.tile_mut(i, j).store(sum);
}

fn computed_operands_are_turned(bench: &Bench) {
    for size @ [rows, inner, columns] in sizes() {
        let (a, b) = (numbers(rows * inner), numbers(inner * columns));
        let expected = product(&a, &b, size);
        let mut c = vec![f32::NAN; rows * columns];
        let grid = (columns.div_ceil(32), rows.div_ceil(64));
        let views = (view(&a, [rows, inner]), view(&b, [inner, columns]));
        launch!(bench, product_of_computed_tf32(views.0, views.1, view_mut(&mut c, [rows, columns])), grid, 128);
        assert_same(&c, &expected);

        let small = |x: &[f32]| x.iter().map(|x| *x as i8).collect::<Vec<_>>();
        let (a, b) = (small(&a), small(&b));
        let grid = (columns.div_ceil(16), rows.div_ceil(64));
        let views = || (view(&a, [rows, inner]), view(&b, [inner, columns]));
        let mut c = vec![-1; rows * columns];
        launch!(bench, product_of_computed_i8(views().0, views().1, view_mut(&mut c, [rows, columns])), grid, 128);
        assert_same(&c, &expected.iter().map(|x| *x as i32 * -2).collect::<Vec<_>>());
        launch!(bench, product_of_doubled_i8(views().0, views().1, view_mut(&mut c, [rows, columns])), grid, 128);
        assert_same(&c, &expected.iter().map(|x| *x as i32 * 2).collect::<Vec<_>>());
    }
}

/// `(q keysᵀ) v`, as attention without weights.
#[gpu_kernel(block = 128)]
pub fn linear_attention_in_tf32(q: View<f32, 2>, keys: View<f32, 2>, v: View<f32, 2>, out: ViewMut<f32, 2>) {
    let i = block_idx().x;
    let query = q.tile::<64, 32>(i, 0);
    let mut sum = Tile::<f32, 64, 32>::zeros();
    for j in 0..keys.tiles(0, 32) {
        let scores = query.dot_tf32(keys.tile::<32, 32>(j, 0).transpose());
        let weights = scores.map(|x| x * 0.5);
        sum += weights.dot_tf32(v.tile::<32, 32>(j, 0));
    }
    out.tile_mut(i, 0).store(sum);
}

fn scores_in_tf32(bench: &Bench) {
    let (positions, size) = (100, 32);
    // Whole numbers of few bits: the scores too are exact in TF32.
    let few = |count: usize| (0..count).map(|i| ((i * 5 + i / 7) % 3) as f32 - 1.0).collect::<Vec<_>>();
    let (q, keys, v) = (few(positions * size), few(positions * size), few(positions * size));
    let scores = product(&q, &transposed(&keys, positions), [positions, size, positions]);
    let weights: Vec<f32> = scores.iter().map(|x| x * 0.5).collect();
    let expected = product(&weights, &v, [positions, positions, size]);
    let shape = [positions, size];
    let mut out = vec![f32::NAN; positions * size];
    let views = (view(&q, shape), view(&keys, shape), view(&v, shape));
    launch!(bench, linear_attention_in_tf32(views.0, views.1, views.2, view_mut(&mut out, shape)), 2, 128);
    assert_same(&out, &expected);
}
