//! Tiles: sums of products: their length, what follows them, and blocks that compute several.

use gpu_runtime::prelude::*;
use half::{bf16, f16};

use super::tiles::{numbers, product};
use crate::bench::{Bench, assert_same, view, view_mut};
use crate::{cases, launch};

cases![
    sums_may_have_other_lengths_in_each_block,
    what_follows_a_sum_may_depend_on_the_block,
    a_block_may_compute_several_products,
    a_sum_may_be_multiplied_itself,
];

/// The sum for `a` of a lower triangle of tiles: each row of tiles has one more, from the first or from the second on.
#[gpu_kernel(block = 128)]
pub fn product_of_triangle(a: View<f16, 2>, b: View<f16, 2>, first: usize, c: ViewMut<f32, 2>) {
    let (j, i) = (block_idx().x, block_idx().y);
    let mut sum = Tile::<f32, 64, 32>::zeros();
    let end = i + 1;
    for k in first..end {
        sum += a.tile::<64, 64>(i, k).dot(b.tile::<64, 32>(k, j));
    }
    c.tile_mut(i, j).store(sum);
}

fn sums_may_have_other_lengths_in_each_block(bench: &Bench) {
    // Rows of whole pieces, and of elements that are copied one by one.
    for (rows, columns, first) in [(200, 64, 0), (200, 40, 1), (129, 33, 0), (333, 72, 2)] {
        let a = numbers(rows * rows);
        let b = numbers(rows * columns);
        let narrow = |x: &[f32]| x.iter().map(|x| f16::from_f32(*x)).collect::<Vec<_>>();
        let (narrow_a, narrow_b) = (narrow(&a), narrow(&b));
        let mut c = vec![f32::NAN; rows * columns];
        let views = (view(&narrow_a, [rows, rows]), view(&narrow_b, [rows, columns]));
        let grid = (columns.div_ceil(32), rows.div_ceil(64));
        launch!(bench, product_of_triangle(views.0, views.1, first, view_mut(&mut c, [rows, columns])), grid, 128);
        let is_used = |row: usize, k: usize| k / 64 >= first && k / 64 <= row / 64;
        let triangle: Vec<f32> = (0..a.len()).map(|at| if is_used(at / rows, at % rows) { a[at] } else { 0.0 }).collect();
        assert_same(&c, &product(&triangle, &b, [rows, rows, columns]));
    }
}

/// `a b`, with the sign of each block's number in `signs`. A block whose sign is 0 stores nothing, and each other one stores its sum twice.
#[gpu_kernel(block = 128)]
pub fn signed_product(a: View<f16, 2>, b: View<f16, 2>, signs: &[f32], c: ViewMut<f32, 2>, d: ViewMut<f16, 2>) {
    let mut sum = Tile::<f32, 64, 32>::zeros();
    let (i, j) = (block_idx().y, block_idx().x);
    for k in 0..a.tiles(1, 32) {
        sum += a.tile::<64, 32>(i, k).dot(b.tile::<32, 32>(k, j));
    }
    let number = i * grid_dim().x + j;
    let sign = if number < signs.len() { signs[number] } else { 0.0 };
    if sign == 0.0 {
        return;
    }
    sum = sum * sign;
    c.tile_mut(i, j).store(sum);
    if sign < 0.0 {
        sum += 1.0;
    }
    d.tile_mut(i, j).store(sum.cast::<f16>());
}

fn what_follows_a_sum_may_depend_on_the_block(bench: &Bench) {
    for size @ [rows, inner, columns] in [[150, 40, 104], [64, 96, 96], [65, 33, 130]] {
        let (a, b) = (numbers(rows * inner), numbers(inner * columns));
        let narrow = |x: &[f32]| x.iter().map(|x| f16::from_f32(*x)).collect::<Vec<_>>();
        let (narrow_a, narrow_b) = (narrow(&a), narrow(&b));
        let grid = (columns.div_ceil(32), rows.div_ceil(64));
        let signs: Vec<f32> = (0..grid.0 * grid.1).map(|number| (number % 3) as f32 - 1.0).collect();
        let (mut c, mut d) = (vec![7.0f32; rows * columns], vec![f16::from_f32(7.0); rows * columns]);
        let (of_a, of_b) = (view(&narrow_a, [rows, inner]), view(&narrow_b, [inner, columns]));
        let (of_c, of_d) = (view_mut(&mut c, [rows, columns]), view_mut(&mut d, [rows, columns]));
        launch!(bench, signed_product(of_a, of_b, &signs, of_c, of_d), grid, 128);
        let sums = product(&a, &b, size);
        let sign = |at: usize| signs[at / columns / 64 * grid.0 + at % columns / 32];
        let signed = |at: usize| if sign(at) == 0.0 { 7.0 } else { sums[at] * sign(at) };
        let next = |at: usize| if sign(at) < 0.0 { signed(at) + 1.0 } else { signed(at) };
        assert_same(&c, &(0..sums.len()).map(signed).collect::<Vec<_>>());
        assert_same(&d, &narrow(&(0..sums.len()).map(next).collect::<Vec<_>>()));
    }
}

/// Of which a block computes several tiles on some GPUs.
#[gpu_kernel(block = 256)]
pub fn product_and_nothing_else(a: View<bf16, 2>, b: View<bf16, 2>, c: ViewMut<bf16, 2>) {
    let (i, j) = (block_idx().y, block_idx().x);
    let mut sum = Tile::<f32, 128, 256>::zeros();
    for k in 0..a.tiles(1, 64) {
        sum += a.tile::<128, 64>(i, k).dot(b.tile::<64, 256>(k, j));
    }
    c.tile_mut(i, j).store(sum.cast::<bf16>());
}

/// The same of `bᵀ`, with the rows of the grid along its third axis.
#[gpu_kernel(block = 256)]
pub fn product_of_transposed_and_nothing_else(a: View<bf16, 2>, b: View<bf16, 2>, c: ViewMut<bf16, 2>) {
    let block = block_idx();
    let mut sum = Tile::<f32, 128, 256>::zeros();
    let (i, j) = (block.z, block.x);
    for k in 0..b.tiles(1, 64) {
        sum += a.tile::<128, 64>(i, k).dot(b.tile::<256, 64>(j, k).transpose());
    }
    c.tile_mut(i, j).store(sum.cast::<bf16>());
}

/// `1 + a b`: the sum does not begin with the first product.
#[gpu_kernel(block = 256)]
pub fn product_and_one(a: View<bf16, 2>, b: View<bf16, 2>, c: ViewMut<bf16, 2>) {
    let (i, j) = (block_idx().y, block_idx().x);
    let mut sum = Tile::<f32, 128, 256>::splat(1.0);
    for k in 0..a.tiles(1, 64) {
        sum += a.tile::<128, 64>(i, k).dot(b.tile::<64, 256>(k, j));
    }
    c.tile_mut(i, j).store(sum.cast::<bf16>());
}

fn a_block_may_compute_several_products(bench: &Bench) {
    // Some have rows that begin inside of a piece. The others have more tiles than a GPU has multiprocessors, of several steps and of one.
    let small = [[200, 392, 264], [300, 8, 301], [129, 7, 127], [1, 64, 136]];
    let large = [[130, 72, 17_000], [9, 328, 34_000], [10, 8, 34_000]];
    let is_gpu = matches!(bench, Bench::Device(device) if device.is_gpu());
    for size @ [rows, inner, columns] in small.into_iter().chain(large.into_iter().filter(|_| is_gpu)) {
        let narrow = |x: &[f32]| x.iter().map(|x| bf16::from_f32(*x)).collect::<Vec<_>>();
        let (a, b) = (numbers(rows * inner), numbers(inner * columns));
        let transposed: Vec<f32> = (0..columns * inner).map(|at| b[at % inner * columns + at / inner]).collect();
        let sums = product(&a, &b, size);
        let expected = |first: f32| narrow(&sums.iter().map(|x| first + x).collect::<Vec<_>>());
        let (a, b, transposed) = (narrow(&a), narrow(&b), narrow(&transposed));
        // There are blocks that no tile is for.
        let grid @ (x, z) = (columns.div_ceil(256) + 1, rows.div_ceil(128) + 1);
        let mut c = vec![bf16::NAN; rows * columns];
        let (of_a, of_c) = ([rows, inner], [rows, columns]);
        launch!(bench, product_and_nothing_else(view(&a, of_a), view(&b, [inner, columns]), view_mut(&mut c, of_c)), grid, 256);
        assert_same(&c, &expected(0.0));
        c.fill(bf16::NAN);
        let of_b = view(&transposed, [columns, inner]);
        launch!(bench, product_of_transposed_and_nothing_else(view(&a, of_a), of_b, view_mut(&mut c, of_c)), (x, 1, z), 256);
        assert_same(&c, &expected(0.0));
        c.fill(bf16::NAN);
        launch!(bench, product_and_one(view(&a, of_a), view(&b, [inner, columns]), view_mut(&mut c, of_c)), grid, 256);
        assert_same(&c, &expected(1.0));
    }
}

/// `x + x b`, twice.
#[gpu_kernel(block = 128)]
pub fn sum_of_its_products(a: View<f32, 2>, b: View<f32, 2>, c: ViewMut<f32, 2>) {
    let i = block_idx().x;
    let mut sum = a.tile::<32, 64>(i, 0);
    for _ in 0..2 {
        sum += sum.dot(b.tile::<64, 64>(0, 0));
    }
    c.tile_mut(i, 0).store(sum);
}

fn a_sum_may_be_multiplied_itself(bench: &Bench) {
    let (rows, columns) = (70, 50);
    let (a, b) = (numbers(rows * columns), numbers(columns * columns));
    let plus = |x: &[f32], y: &[f32]| x.iter().zip(y).map(|(x, y)| x + y).collect::<Vec<_>>();
    let first = plus(&a, &product(&a, &b, [rows, columns, columns]));
    let second = plus(&first, &product(&first, &b, [rows, columns, columns]));
    let mut c = vec![f32::NAN; rows * columns];
    let (of_a, of_b) = (view(&a, [rows, columns]), view(&b, [columns, columns]));
    launch!(bench, sum_of_its_products(of_a, of_b, view_mut(&mut c, [rows, columns])), 3, 128);
    assert_same(&c, &second);
}
