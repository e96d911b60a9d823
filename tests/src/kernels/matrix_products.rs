//! Products of matrices: an element per thread, tiles in shared memory, and tiles in registers.

use gpu_runtime::prelude::*;

use crate::bench::{Bench, assert_same};
use crate::{cases, launch};

cases![an_element_per_thread, tiles_in_shared_memory, tiles_in_registers];

/// Rows of `A`, columns of `A`, columns of `B`: none a multiple of a tile, but for the last.
const SIZES: [(usize, usize, usize); 4] = [(5, 23, 7), (33, 17, 65), (1, 1, 1), (64, 32, 64)];

/// The sizes that a bench is asked for. A GPU also multiplies matrices that take more than one wave of its blocks.
fn sizes(bench: &Bench) -> Vec<(usize, usize, usize)> {
    let mut sizes = SIZES.to_vec();
    if let Bench::Device(device) = bench
        && device.is_gpu()
    {
        sizes.push((1600, 1600, 1600));
    }
    sizes
}

/// `A`, `B` and their product: `A[i][k] = f(i) + p(k)` and `B[k][j] = q(k) - g(j)`, so that the sum over `k` has a closed form, in integers
/// that `f32` holds without rounding. A wrong order of the sum cannot hide, nor be blamed.
fn operands(rows: usize, inner: usize, columns: usize) -> (Vec<f32>, Vec<f32>, Vec<f32>) {
    let (f, p) = (|i: usize| (i % 3) as i64, |k: usize| (k % 5) as i64);
    let (q, g) = (|k: usize| (k % 7) as i64, |j: usize| (j % 4) as i64);
    let a = (0..rows * inner).map(|at| (f(at / inner) + p(at % inner)) as f32).collect();
    let b = (0..inner * columns).map(|at| (q(at / columns) - g(at % columns)) as f32).collect();
    let sum = |term: &dyn Fn(usize) -> i64| (0..inner).map(term).sum::<i64>();
    let (sum_p, sum_q, sum_pq) = (sum(&p), sum(&q), sum(&|k| p(k) * q(k)));
    let product = |at: usize| {
        let (i, j) = (at / columns, at % columns);
        (f(i) * sum_q - f(i) * g(j) * inner as i64 + sum_pq - sum_p * g(j)) as f32
    };
    (a, b, (0..rows * columns).map(product).collect())
}

#[gpu_kernel]
pub fn naive(a: &[f32], b: &[f32], rows: usize, inner: usize, columns: usize, c: &mut [f32]) {
    let (column, row) = grid_2d();
    if row < rows && column < columns {
        let mut sum = 0.0;
        for k in 0..inner {
            sum += a[row * inner + k] * b[k * columns + column];
        }
        c[row * columns + column] = sum;
    }
}

fn an_element_per_thread(bench: &Bench) {
    for (rows, inner, columns) in sizes(bench) {
        let (a, b, expected) = operands(rows, inner, columns);
        let mut c = vec![-1.0; rows * columns];
        let grid = (columns.div_ceil(8) as u32, rows.div_ceil(4) as u32);
        launch!(bench, naive(&a, &b, rows, inner, columns, &mut c), grid, (8, 4));
        assert_same(&c, &expected);
    }
}

const TILE: usize = 16;

/// Beyond the edges of the matrices, the tiles are filled with zeros.
#[gpu_kernel(block = (TILE, TILE))]
pub fn tiled(a: View<f32, 2>, b: View<f32, 2>, c: ViewMut<f32, 2>) {
    let mut left = shared::<[[f32; TILE]; TILE]>();
    let mut right = shared::<[[f32; TILE]; TILE]>();
    let (column, row) = grid_2d();
    let (tx, ty) = (thread_idx().x, thread_idx().y);
    let [rows, inner] = a.shape();
    let columns = b.shape()[1];
    let mut sum = 0.0;
    for first in (0..inner).step_by(TILE) {
        left[ty][tx] = if row < rows && first + tx < inner { a[[row, first + tx]] } else { 0.0 };
        right[ty][tx] = if first + ty < inner && column < columns { b[[first + ty, column]] } else { 0.0 };
        sync_threads();
        #[unroll]
        for k in 0..TILE {
            sum += left[ty][k] * right[k][tx];
        }
        sync_threads();
    }
    if row < c.shape()[0] && column < c.shape()[1] {
        c[[row, column]] = sum;
    }
}

fn tiles_in_shared_memory(bench: &Bench) {
    use crate::bench::{view, view_mut};
    for (rows, inner, columns) in sizes(bench) {
        let (a, b, expected) = operands(rows, inner, columns);
        let mut c = vec![-1.0; rows * columns];
        let grid = (columns.div_ceil(TILE) as u32, rows.div_ceil(TILE) as u32);
        let (a, b) = (view(&a, [rows, inner]), view(&b, [inner, columns]));
        launch!(bench, tiled(a, b, view_mut(&mut c, [rows, columns])), grid, (TILE as u32, TILE as u32));
        assert_same(&c, &expected);
    }
}

/// Threads of a block, along each axis.
const SIDE: usize = 8;
/// Elements of a thread, along each axis.
const OWN: usize = 4;
/// Elements of a block, along each axis.
const WIDE: usize = SIDE * OWN;
/// Columns of `A`, and rows of `B`, that are in shared memory at a time.
const DEEP: usize = 8;

/// Each thread keeps 4×4 sums in registers, so that each number that it loads from shared memory serves four of them.
#[gpu_kernel(block = (SIDE, SIDE))]
pub fn register_tiled(a: &[f32], b: &[f32], rows: usize, inner: usize, columns: usize, c: &mut [f32]) {
    let mut left = shared::<[[f32; WIDE + 1]; DEEP]>();
    let mut right = shared::<[[f32; WIDE]; DEEP]>();
    let (t, first_row, first_column) = (thread_idx(), block_idx().y * WIDE, block_idx().x * WIDE);
    let number = t.y * SIDE + t.x;
    let mut sums = [[0.0f32; OWN]; OWN];
    let mut first = 0;
    while first < inner {
        for at in (number..WIDE * DEEP).step_by(SIDE * SIDE) {
            let (row, k) = (at / DEEP, at % DEEP);
            let inside = first_row + row < rows && first + k < inner;
            left[k][row] = if inside { a[(first_row + row) * inner + first + k] } else { 0.0 };
            let (k, column) = (at / WIDE, at % WIDE);
            let inside = first + k < inner && first_column + column < columns;
            right[k][column] = if inside { b[(first + k) * columns + first_column + column] } else { 0.0 };
        }
        sync_threads();
        for k in 0..DEEP {
            let mut of_a = [0.0; OWN];
            let mut of_b = [0.0; OWN];
            #[unroll]
            for i in 0..OWN {
                of_a[i] = left[k][t.y * OWN + i];
                of_b[i] = right[k][t.x + SIDE * i];
            }
            #[unroll]
            for i in 0..OWN {
                #[unroll]
                for j in 0..OWN {
                    sums[i][j] = of_a[i].mul_add(of_b[j], sums[i][j]);
                }
            }
        }
        sync_threads();
        first += DEEP;
    }
    #[unroll]
    for i in 0..OWN {
        #[unroll]
        for j in 0..OWN {
            let (row, column) = (first_row + t.y * OWN + i, first_column + t.x + SIDE * j);
            if row < rows && column < columns {
                c[row * columns + column] = sums[i][j];
            }
        }
    }
}

fn tiles_in_registers(bench: &Bench) {
    for (rows, inner, columns) in sizes(bench) {
        let (a, b, expected) = operands(rows, inner, columns);
        let mut c = vec![-1.0; rows * columns];
        let grid = (columns.div_ceil(WIDE) as u32, rows.div_ceil(WIDE) as u32);
        launch!(bench, register_tiled(&a, &b, rows, inner, columns, &mut c), grid, (SIDE as u32, SIDE as u32));
        assert_same(&c, &expected);
    }
}
