//! Tiles: products with an epilogue, and reductions of rows, of sizes that no tile divides.

// `DeviceView::t` itself is for one lifetime.
#![allow(clippy::redundant_closure_for_method_calls)]

use gpu_runtime::prelude::*;
use half::{bf16, f16};

use crate::bench::{Bench, assert_same, view, view_mut};
use crate::{cases, launch};

cases![
    products_have_any_size,
    products_of_halves_are_summed_in_single_precision,
    products_of_doubles_and_integers,
    operands_may_be_transposed,
    tiles_of_operands_may_be_transposed,
    transposed_tiles_are_computed_with,
    matrices_of_a_view_are_multiplied,
    an_operand_may_be_computed,
    operators_combine_tiles_columns_and_numbers,
    softmax_of_rows,
    every_size_of_tile_is_spread_over_every_block,
    places_of_factors_are_found_from_left_to_right,
];

/// Sizes around those of tiles: rows, products in a sum, columns.
pub(super) const SIZES: [[usize; 3]; 5] = [[1, 1, 1], [7, 129, 127], [129, 7, 1], [127, 128, 129], [64, 64, 64]];

/// Small whole numbers, whose sums of products are exact in any order.
pub(super) fn numbers(count: usize) -> Vec<f32> {
    (0..count).map(|i| ((i * 7 + i / 13) % 9) as f32 - 4.0).collect()
}

pub(super) fn product(a: &[f32], b: &[f32], [rows, inner, columns]: [usize; 3]) -> Vec<f32> {
    let element = |at: usize| (0..inner).map(|k| a[at / columns * inner + k] * b[k * columns + at % columns]).sum();
    (0..rows * columns).map(element).collect()
}

#[gpu_device]
fn leaky(x: f32, slope: f32) -> f32 {
    if x < 0.0 { x * slope } else { x }
}

/// `leaky(a b + bias)`
#[gpu_kernel(block = 64)]
pub fn layer(a: View<f32, 2>, b: View<f32, 2>, bias: View<f32, 2>, slope: f32, c: ViewMut<f32, 2>) {
    let (i, j) = (block_idx().y, block_idx().x);
    let mut sum = Tile::<f32, 32, 64>::zeros();
    for k in 0..a.tiles(1, 32) {
        sum += a.tile::<32, 32>(i, k).dot(b.tile::<32, 64>(k, j));
    }
    let sum = sum + bias.tile::<32, 64>(i, j);
    c.tile_mut(i, j).store(sum.map(|x| leaky(x, slope)));
}

fn products_have_any_size(bench: &Bench) {
    for size @ [rows, inner, columns] in SIZES {
        let (a, b, bias) = (numbers(rows * inner), numbers(inner * columns), numbers(rows * columns));
        let mut c = vec![f32::NAN; rows * columns];
        let grid = (columns.div_ceil(64), rows.div_ceil(32));
        let views = (view(&a, [rows, inner]), view(&b, [inner, columns]), view(&bias, [rows, columns]));
        launch!(bench, layer(views.0, views.1, views.2, 0.5, view_mut(&mut c, [rows, columns])), grid, 64);
        let sums = product(&a, &b, size);
        let expected: Vec<f32> = sums.iter().zip(&bias).map(|(sum, bias)| sum + bias).map(|x| if x < 0.0 { x * 0.5 } else { x }).collect();
        assert_same(&c, &expected);
    }
}

#[gpu_kernel(block = 256)]
pub fn product_of_bf16(a: View<bf16, 2>, b: View<bf16, 2>, c: ViewMut<f32, 2>) {
    let (i, j) = (block_idx().y, block_idx().x);
    let mut sum = Tile::<f32, 128, 128>::zeros();
    for k in 0..a.tiles(1, 64) {
        sum += a.tile::<128, 64>(i, k).dot(b.tile::<64, 128>(k, j));
    }
    c.tile_mut(i, j).store(sum);
}

#[gpu_kernel(block = 128)]
pub fn product_of_f16(a: View<f16, 2>, b: View<f16, 2>, c: ViewMut<f16, 2>) {
    let (i, j) = (block_idx().y, block_idx().x);
    let mut sum = Tile::<f32, 64, 16>::zeros();
    for k in 0..a.tiles(1, 16) {
        sum += a.tile::<64, 16>(i, k).dot(b.tile::<16, 16>(k, j));
    }
    c.tile_mut(i, j).store(sum.cast::<f16>());
}

fn products_of_halves_are_summed_in_single_precision(bench: &Bench) {
    // In the last, rows begin at multiples of 16 bytes, and a sum is of more tiles than are loaded ahead.
    for size @ [rows, inner, columns] in SIZES.into_iter().chain([[130, 456, 136]]) {
        let (a, b) = (numbers(rows * inner), numbers(inner * columns));
        let expected = product(&a, &b, size);

        let narrow = |x: &[f32]| x.iter().map(|x| bf16::from_f32(*x)).collect::<Vec<_>>();
        let mut c = vec![f32::NAN; rows * columns];
        let grid = (columns.div_ceil(128), rows.div_ceil(128));
        let (narrow_a, narrow_b) = (narrow(&a), narrow(&b));
        launch!(
            bench,
            product_of_bf16(view(&narrow_a, [rows, inner]), view(&narrow_b, [inner, columns]), view_mut(&mut c, [rows, columns])),
            grid,
            256
        );
        assert_same(&c, &expected);

        let narrow = |x: &[f32]| x.iter().map(|x| f16::from_f32(*x)).collect::<Vec<_>>();
        let mut c = vec![f16::NAN; rows * columns];
        let grid = (columns.div_ceil(16), rows.div_ceil(64));
        let (narrow_a, narrow_b) = (narrow(&a), narrow(&b));
        launch!(
            bench,
            product_of_f16(view(&narrow_a, [rows, inner]), view(&narrow_b, [inner, columns]), view_mut(&mut c, [rows, columns])),
            grid,
            128
        );
        assert_same(&c, &narrow(&expected));
    }
}

#[gpu_kernel(block = 32)]
pub fn product_of_f64(a: View<f64, 2>, b: View<f64, 2>, c: ViewMut<f64, 2>) {
    let (i, j) = (block_idx().y, block_idx().x);
    let mut sum = Tile::<f64, 16, 32>::zeros();
    for k in 0..a.tiles(1, 16) {
        sum += a.tile::<16, 16>(i, k).dot(b.tile::<16, 32>(k, j));
    }
    c.tile_mut(i, j).store(sum);
}

#[gpu_kernel(block = 64)]
pub fn product_of_i8(a: View<i8, 2>, b: View<i8, 2>, c: ViewMut<i32, 2>) {
    let (i, j) = (block_idx().y, block_idx().x);
    let mut sum = Tile::<i32, 32, 32>::zeros();
    for k in 0..a.tiles(1, 64) {
        sum += a.tile::<32, 64>(i, k).dot(b.tile::<64, 32>(k, j));
    }
    c.tile_mut(i, j).store(sum);
}

fn products_of_doubles_and_integers(bench: &Bench) {
    let size @ [rows, inner, columns] = [33, 129, 17];
    let (a, b) = (numbers(rows * inner), numbers(inner * columns));
    let expected = product(&a, &b, size);

    let wide = |x: &[f32]| x.iter().map(|x| f64::from(*x)).collect::<Vec<_>>();
    let (wide_a, wide_b) = (wide(&a), wide(&b));
    let mut c = vec![f64::NAN; rows * columns];
    let views = (view(&wide_a, [rows, inner]), view(&wide_b, [inner, columns]));
    launch!(bench, product_of_f64(views.0, views.1, view_mut(&mut c, [rows, columns])), (1, 3), 32);
    assert_same(&c, &wide(&expected));

    let small = |x: &[f32]| x.iter().map(|x| *x as i8).collect::<Vec<_>>();
    let (small_a, small_b) = (small(&a), small(&b));
    let mut c = vec![-1; rows * columns];
    let views = (view(&small_a, [rows, inner]), view(&small_b, [inner, columns]));
    launch!(bench, product_of_i8(views.0, views.1, view_mut(&mut c, [rows, columns])), (1, 2), 64);
    assert_same(&c, &expected.iter().map(|x| *x as i32).collect::<Vec<_>>());
}

fn operands_may_be_transposed(bench: &Bench) {
    let size @ [rows, inner, columns] = [70, 40, 130];
    let (a, b, bias) = (numbers(rows * inner), numbers(inner * columns), vec![0.0; rows * columns]);
    let b_transposed = transposed(&b, inner);
    let mut c = vec![f32::NAN; rows * columns];
    let b_view = view(&b_transposed, [columns, inner]).part(|view| view.t());
    let views = (view(&a, [rows, inner]), b_view, view(&bias, [rows, columns]));
    launch!(bench, layer(views.0, views.1, views.2, 1.0, view_mut(&mut c, [rows, columns])), (3, 3), 64);
    assert_same(&c, &product(&a, &b, size));
}

/// `aᵀ b`
#[gpu_kernel(block = 256)]
pub fn product_of_transposed_a(a: View<bf16, 2>, b: View<bf16, 2>, c: ViewMut<f32, 2>) {
    let (i, j) = (block_idx().y, block_idx().x);
    let mut sum = Tile::<f32, 128, 128>::zeros();
    for k in 0..a.tiles(0, 64) {
        sum += a.tile::<64, 128>(k, i).transpose().dot(b.tile::<64, 128>(k, j));
    }
    c.tile_mut(i, j).store(sum);
}

/// `a bᵀ`
#[gpu_kernel(block = 128)]
pub fn product_of_transposed_b(a: View<f16, 2>, b: View<f16, 2>, c: ViewMut<f32, 2>) {
    let (i, j) = (block_idx().y, block_idx().x);
    let mut sum = Tile::<f32, 64, 16>::zeros();
    for k in 0..a.tiles(1, 16) {
        sum += a.tile::<64, 16>(i, k).dot(b.tile::<16, 16>(j, k).transpose());
    }
    c.tile_mut(i, j).store(sum);
}

/// `aᵀ bᵀ`, whose groups of warps have columns of their own.
#[gpu_kernel(block = 512)]
pub fn product_of_both_transposed(a: View<f16, 2>, b: View<f16, 2>, c: ViewMut<f32, 2>) {
    let (i, j) = (block_idx().y, block_idx().x);
    let mut sum = Tile::<f32, 64, 256>::zeros();
    for k in 0..a.tiles(0, 32) {
        sum += a.tile::<32, 64>(k, i).transpose().dot(b.tile::<256, 32>(j, k).transpose());
    }
    c.tile_mut(i, j).store(sum);
}

/// `aᵀ b`, where the operands of a step in shared memory are no multiple of 1024 bytes.
#[gpu_kernel(block = 128)]
pub fn narrow_product_of_transposed_a(a: View<f16, 2>, b: View<f16, 2>, c: ViewMut<f32, 2>) {
    let (i, j) = (block_idx().y, block_idx().x);
    let mut sum = Tile::<f32, 64, 16>::zeros();
    for k in 0..a.tiles(0, 16) {
        sum += a.tile::<16, 64>(k, i).transpose().dot(b.tile::<16, 16>(k, j));
    }
    c.tile_mut(i, j).store(sum);
}

/// `aᵀ bᵀ` without tensor cores.
#[gpu_kernel(block = 64)]
pub fn product_of_transposed_i8(a: View<i8, 2>, b: View<i8, 2>, c: ViewMut<i32, 2>) {
    let (i, j) = (block_idx().y, block_idx().x);
    let mut sum = Tile::<i32, 16, 32>::zeros();
    for k in 0..a.tiles(0, 64) {
        let product = a.tile::<64, 16>(k, i).transpose().dot(b.tile::<32, 64>(j, k).transpose());
        sum += product;
    }
    c.tile_mut(i, j).store(sum);
}

/// A matrix with so many rows, transposed.
pub(super) fn transposed<T: Copy>(x: &[T], rows: usize) -> Vec<T> {
    let columns = x.len() / rows;
    (0..x.len()).map(|at| x[at % rows * columns + at / rows]).collect()
}

fn tiles_of_operands_may_be_transposed(bench: &Bench) {
    // In the last two, all operands are copied in pieces.
    for size @ [rows, inner, columns] in SIZES.into_iter().chain([[136, 456, 136], [264, 64, 320]]) {
        let (a, b) = (numbers(rows * inner), numbers(inner * columns));
        let expected = product(&a, &b, size);
        let (turned_a, turned_b) = (transposed(&a, rows), transposed(&b, inner));
        let wide = |x: &[f32]| x.iter().map(|x| bf16::from_f32(*x)).collect::<Vec<_>>();
        let narrow = |x: &[f32]| x.iter().map(|x| f16::from_f32(*x)).collect::<Vec<_>>();
        let small = |x: &[f32]| x.iter().map(|x| *x as i8).collect::<Vec<_>>();
        let none = || vec![f32::NAN; rows * columns];
        let (of_a, of_b, of_c) = ([inner, rows], [columns, inner], [rows, columns]);
        let grid = |r: usize, c: usize| (columns.div_ceil(c), rows.div_ceil(r));

        let (mut c, x, y) = (none(), wide(&turned_a), wide(&b));
        launch!(bench, product_of_transposed_a(view(&x, of_a), view(&y, [inner, columns]), view_mut(&mut c, of_c)), grid(128, 128), 256);
        assert_same(&c, &expected);

        let (mut c, x, y) = (none(), narrow(&turned_a), narrow(&b));
        launch!(
            bench,
            narrow_product_of_transposed_a(view(&x, of_a), view(&y, [inner, columns]), view_mut(&mut c, of_c)),
            grid(64, 16),
            128
        );
        assert_same(&c, &expected);

        let (mut c, x, y) = (none(), narrow(&a), narrow(&turned_b));
        launch!(bench, product_of_transposed_b(view(&x, [rows, inner]), view(&y, of_b), view_mut(&mut c, of_c)), grid(64, 16), 128);
        assert_same(&c, &expected);

        let (mut c, x, y) = (none(), narrow(&turned_a), narrow(&turned_b));
        launch!(bench, product_of_both_transposed(view(&x, of_a), view(&y, of_b), view_mut(&mut c, of_c)), grid(64, 256), 512);
        assert_same(&c, &expected);

        let (mut c, x, y) = (vec![-1; rows * columns], small(&turned_a), small(&turned_b));
        launch!(bench, product_of_transposed_i8(view(&x, of_a), view(&y, of_b), view_mut(&mut c, of_c)), grid(16, 32), 64);
        assert_same(&c, &expected.iter().map(|x| *x as i32).collect::<Vec<_>>());
    }
}

/// `out = aᵀ + 1000 column`
#[gpu_kernel(block = 64)]
pub fn transposition(a: View<i32, 2>, out: ViewMut<i32, 2>) {
    let (i, j) = (block_idx().y, block_idx().x);
    let x = a.tile::<32, 16>(j, i).transpose();
    out.tile_mut(i, j).store(x.map_at(|_, column, x| x + 1000 * column as i32));
}

fn transposed_tiles_are_computed_with(bench: &Bench) {
    let (rows, columns) = (70, 33);
    let a: Vec<i32> = (0..rows * columns).map(|i| i as i32 % 1000).collect();
    let mut out = vec![-1; a.len()];
    launch!(bench, transposition(view(&a, [columns, rows]), view_mut(&mut out, [rows, columns])), (2, 5), 64);
    let expected: Vec<i32> = (0..a.len()).map(|at| a[at % columns * rows + at / columns] + 1000 * (at % columns % 32) as i32).collect();
    assert_same(&out, &expected);
}

/// `a bᵀ` of each matrix.
#[gpu_kernel(block = 128)]
pub fn batched_product(a: View<f16, 3>, b: View<f16, 3>, c: ViewMut<f32, 3>) {
    let (n, i, j) = (block_idx().z, block_idx().y, block_idx().x);
    let mut sum = Tile::<f32, 64, 32>::zeros();
    for k in 0..a.tiles(2, 32) {
        sum += a.tile::<64, 32>(n, i, k).dot(b.tile::<32, 32>(n, j, k).transpose());
    }
    c.tile_mut(n, i, j).store(sum);
}

fn matrices_of_a_view_are_multiplied(bench: &Bench) {
    let batch = 3;
    for size @ [rows, inner, columns] in [[1, 1, 1], [65, 31, 33], [72, 72, 40]] {
        let (a, b) = (numbers(batch * rows * inner), numbers(batch * inner * columns));
        let narrow = |x: &[f32]| x.iter().map(|x| f16::from_f32(*x)).collect::<Vec<_>>();
        // The rows of all matrices are in turn.
        let in_turn = (0..a.len()).map(|at| (at / (batch * inner), at / inner % batch, at % inner));
        let in_turn = in_turn.map(|(row, n, k)| a[(n * rows + row) * inner + k]).collect::<Vec<_>>();
        let b_transposed: Vec<f32> = b.chunks(inner * columns).flat_map(|b| transposed(b, inner)).collect();
        let (x, y, mut c) = (narrow(&in_turn), narrow(&b_transposed), vec![f32::NAN; batch * rows * columns]);
        let of_a = view(&x, [rows, batch, inner]).part(|view| view.permute([1, 0, 2]));
        // There are blocks for one matrix more.
        let grid = (columns.div_ceil(32), rows.div_ceil(64), batch + 1);
        launch!(bench, batched_product(of_a, view(&y, [batch, columns, inner]), view_mut(&mut c, [batch, rows, columns])), grid, 128);
        let products = a.chunks(rows * inner).zip(b.chunks(inner * columns)).map(|(a, b)| product(a, b, size));
        assert_same(&c, &products.flatten().collect::<Vec<_>>());
    }
}

/// `(2 a)(b + 1)`, of which no operand is a tile of a view.
#[gpu_kernel(block = 128)]
pub fn product_of_computed(a: View<bf16, 2>, b: View<f32, 2>, c: ViewMut<f32, 2>) {
    let x = a.tile::<64, 32>(block_idx().x, 0);
    let left = (x - x.row_max() + x.row_max() + x).cast::<f32>();
    let right = b.tile::<32, 32>(0, 0).zip(Tile::<f32, 32, 32>::splat(1.0), |x, y| x + y);
    c.tile_mut(block_idx().x, 0).store(left.dot(right));
}

fn an_operand_may_be_computed(bench: &Bench) {
    let (a, b) = (numbers(100 * 32), numbers(32 * 32));
    let narrow: Vec<bf16> = a.iter().map(|x| bf16::from_f32(*x)).collect();
    let mut c = vec![f32::NAN; 100 * 32];
    launch!(bench, product_of_computed(view(&narrow, [100, 32]), view(&b, [32, 32]), view_mut(&mut c, [100, 32])), 2, 128);
    let (doubled, next): (Vec<f32>, Vec<f32>) = (a.iter().map(|x| 2.0 * x).collect(), b.iter().map(|x| x + 1.0).collect());
    assert_same(&c, &product(&doubled, &next, [100, 32, 32]));
}

#[gpu_kernel(block = 128)]
pub fn combined(a: View<i32, 2>, b: View<i32, 2>, c: ViewMut<i32, 2>) {
    let i = block_idx().x;
    let (x, y) = (a.tile::<32, 128>(i, 0), b.tile::<32, 128>(i, 0));
    let (sums, largest) = (x.row_sum(), x.row_max());
    let mut z = -x * 3 - y + 7;
    z -= sums - largest * 2;
    z *= 2 - y;
    z = sums + z;
    c.tile_mut(i, 0).store(z.map_at(|row, column, value| value + row as i32 * 1000 + column as i32));
}

fn operators_combine_tiles_columns_and_numbers(bench: &Bench) {
    let (rows, columns) = (40, 129);
    let (a, b): (Vec<i32>, Vec<i32>) = (0..rows * columns).map(|i| ((i * 31 % 101) - 50, (i * 17 % 23) - 11)).unzip();
    let (rows, columns) = (rows as usize, columns as usize);
    let mut c = vec![-1; rows * columns];
    launch!(bench, combined(view(&a, [rows, columns]), view(&b, [rows, columns]), view_mut(&mut c, [rows, columns])), 2, 128);
    let expected = (0..rows * columns).map(|at| {
        let (row, column) = (at / columns, at % columns);
        if column >= 128 {
            return -1;
        }
        let values = &a[row * columns..row * columns + 128];
        let (sum, largest) = (values.iter().sum::<i32>(), *values.iter().max().unwrap());
        let z = (-a[at] * 3 - b[at] + 7 - (sum - largest * 2)) * (2 - b[at]);
        sum + z + (row % 32) as i32 * 1000 + column as i32
    });
    assert_same(&c, &expected.collect::<Vec<i32>>());
}

#[gpu_kernel(block = 64)]
pub fn softmax(x: View<f32, 2>, out: ViewMut<f32, 2>) {
    let i = block_idx().x;
    let columns = x.shape()[1];
    let row = x.tile::<16, 256>(i, 0);
    let row = if columns == 256 { row } else { row.map_at(|_, column, x| if column < columns { x } else { f32::NEG_INFINITY }) };
    let powers = (row - row.row_max()).map(|x| x.exp());
    out.tile_mut(i, 0).store(powers / powers.row_sum());
}

/// Numbers between -3 and 3.
pub(super) fn samples(count: usize, seed: f32) -> Vec<f32> {
    (0..count).map(|i| (i as f32 * 0.7 + seed).sin() * 3.0).collect()
}

pub(super) fn assert_close(found: &[f32], expected: &[f64], tolerance: f64) {
    assert_eq!(found.len(), expected.len());
    for (at, (found, expected)) in found.iter().zip(expected).enumerate() {
        assert!((f64::from(*found) - expected).abs() <= tolerance, "element {at} is {found}, not {expected}");
    }
}

pub(super) fn softmax_of(row: &[f64]) -> Vec<f64> {
    let largest = row.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let sum: f64 = row.iter().map(|x| (x - largest).exp()).sum();
    row.iter().map(|x| (x - largest).exp() / sum).collect()
}

fn softmax_of_rows(bench: &Bench) {
    for (rows, columns) in [(1, 1), (7, 129), (33, 256)] {
        let x = samples(rows * columns, 0.1);
        let mut out = vec![f32::NAN; x.len()];
        launch!(bench, softmax(view(&x, [rows, columns]), view_mut(&mut out, [rows, columns])), rows.div_ceil(16), 64);
        let wide: Vec<f64> = x.iter().map(|x| f64::from(*x)).collect();
        assert_close(&out, &wide.chunks(columns).flat_map(softmax_of).collect::<Vec<_>>(), 1e-6);
    }
}

/// Copies, shifted by the largest element of each row and back.
#[gpu_kernel(block = 1024)]
pub fn copied_by_many(a: View<f32, 2>, narrow: ViewMut<f32, 2>, wide: ViewMut<f32, 2>) {
    let i = block_idx().x;
    let (x, y) = (a.tile::<16, 16>(i, 0), a.tile::<256, 32>(i, 0));
    narrow.tile_mut(i, 0).store(x - x.row_max() + x.row_max());
    wide.tile_mut(i, 0).store(y - y.row_max() + y.row_max());
}

#[gpu_kernel(block = 32)]
pub fn copied_by_few(a: View<f32, 2>, narrow: ViewMut<f32, 2>, wide: ViewMut<f32, 2>) {
    let i = block_idx().x;
    let (x, y) = (a.tile::<16, 256>(i, 0), a.tile::<64, 16>(i, 0));
    narrow.tile_mut(i, 0).store(x - x.row_max() + x.row_max());
    wide.tile_mut(i, 0).store(y - y.row_max() + y.row_max());
}

fn every_size_of_tile_is_spread_over_every_block(bench: &Bench) {
    let (rows, columns) = (256, 16);
    let a = numbers(rows * columns);
    let copies = || (vec![f32::NAN; rows * columns], vec![f32::NAN; rows * columns]);
    let shape = [rows, columns];
    let (mut narrow, mut wide) = copies();
    launch!(bench, copied_by_many(view(&a, shape), view_mut(&mut narrow, shape), view_mut(&mut wide, shape)), 16, 1024);
    assert_same(&narrow, &a);
    assert_same(&wide, &a);
    let (mut narrow, mut wide) = copies();
    launch!(bench, copied_by_few(view(&a, shape), view_mut(&mut narrow, shape), view_mut(&mut wide, shape)), 16, 32);
    assert_same(&narrow, &a);
    assert_same(&wide, &a);
}

#[gpu_kernel(block = 32)]
pub fn product_of_neighbours(a: View<f32, 2>, b: View<f32, 2>, c: ViewMut<f32, 2>) {
    let (i, j) = (block_idx().y, block_idx().x);
    let mut k = 0;
    let product = a.tile::<16, 16>(i, k).dot(b.tile::<16, 16>(
        {
            k += 1;
            k
        },
        j,
    ));
    let mut sum = Tile::<f32, 16, 16>::zeros();
    sum += a.tile::<16, 16>(k, i).transpose().dot(b.tile::<16, 16>(
        {
            k -= 1;
            k
        },
        j,
    ));
    c.tile_mut(i, j).store(product + sum);
}

fn places_of_factors_are_found_from_left_to_right(bench: &Bench) {
    let (a, b) = (numbers(32 * 32), numbers(32 * 16));
    let mut c = vec![f32::NAN; 32 * 16];
    let views = (view(&a, [32, 32]), view(&b, [32, 16]));
    launch!(bench, product_of_neighbours(views.0, views.1, view_mut(&mut c, [32, 16])), (1, 2), 32);
    let mut expected = Vec::new();
    for at in 0..32 * 16 {
        let (row, column) = (at / 16, at % 16);
        let first = (0..16).map(|k| a[row * 32 + k] * b[(16 + k) * 16 + column]);
        let second = (0..16).map(|k| a[(16 + k) * 32 + row] * b[k * 16 + column]);
        expected.push(first.chain(second).sum::<f32>());
    }
    assert_same(&c, &expected);
}
