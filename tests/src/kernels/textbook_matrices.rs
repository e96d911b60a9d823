//! Dense matrices: transposes, products, factorizations.

use gpu_runtime::prelude::*;
use gpu_runtime::vector::Float4;

use crate::bench::{Bench, assert_same, whole};
use crate::{cases, launch};

cases![matrices_are_transposed, matrices_are_multiplied, matrices_are_factorized, equations_are_solved, roots_of_matrices_are_found];

const TILE: usize = 4;
const ROWS: usize = 2;

#[gpu_kernel]
pub fn transpose_naive(x: &[f32], rows: usize, columns: usize, out: &mut [f32]) {
    let (j, i) = grid_2d();
    if i < rows && j < columns {
        out[j * rows + i] = x[i * columns + j];
    }
}

/// CUDA samples: tiles of 32×32, by blocks of 32×8.
#[gpu_kernel(block = (TILE, ROWS))]
pub fn transpose_tiled(x: &[f32], width: usize, height: usize, out: &mut [f32]) {
    let mut tile = shared::<[[f32; TILE + 1]; TILE]>();
    let (t, b) = (thread_idx(), block_idx());
    let (column, row) = (b.x * TILE + t.x, b.y * TILE + t.y);
    for k in (0..TILE).step_by(ROWS) {
        if column < width && row + k < height {
            tile[t.y + k][t.x] = x[(row + k) * width + column];
        }
    }
    sync_threads();
    let (column, row) = (b.y * TILE + t.x, b.x * TILE + t.y);
    for k in (0..TILE).step_by(ROWS) {
        if column < height && row + k < width {
            out[(row + k) * height + column] = tile[t.x][t.y + k];
        }
    }
}

#[gpu_kernel]
pub fn product_naive(a: &[f32], b: &[f32], m: usize, k: usize, n: usize, c: &mut [f32]) {
    let (column, row) = grid_2d();
    if row < m && column < n {
        let mut sum = 0.0;
        for l in 0..k {
            sum += a[row * k + l] * b[l * n + column];
        }
        c[row * n + column] = sum;
    }
}

#[gpu_kernel(block = (TILE, TILE))]
pub fn product_tiled(a: &[f32], b: &[f32], m: usize, k: usize, n: usize, c: &mut [f32]) {
    let mut left = shared::<[[f32; TILE]; TILE]>();
    let mut right = shared::<[[f32; TILE]; TILE]>();
    let (tx, ty) = (thread_idx().x, thread_idx().y);
    let (column, row) = (block_idx().x * TILE + tx, block_idx().y * TILE + ty);
    let mut sum = 0.0;
    for first in (0..k).step_by(TILE) {
        left[ty][tx] = if row < m && first + tx < k { a[row * k + first + tx] } else { 0.0 };
        right[ty][tx] = if first + ty < k && column < n { b[(first + ty) * n + column] } else { 0.0 };
        sync_threads();
        for l in 0..TILE {
            sum += left[ty][l] * right[l][tx];
        }
        sync_threads();
    }
    if row < m && column < n {
        c[row * n + column] = sum;
    }
}

/// A tile of 64×64 per block, 8×8 elements per thread: `64 * (i / 4) + 4 * ty + i % 4`.
#[gpu_kernel(block = (16, 16))]
pub fn product_registers(a: &[f32], b: &[f32], m: usize, k: usize, n: usize, c: &mut [f32]) {
    let (tx, ty) = (thread_idx().x, thread_idx().y);
    let (first_row, first_column) = (block_idx().y * 128, block_idx().x * 128);
    let mut sums = [[0.0f32; 8]; 8];
    for l in 0..k {
        for i in 0..8 {
            for j in 0..8 {
                let (row, column) = (first_row + 64 * (i / 4) + 4 * ty + i % 4, first_column + 64 * (j / 4) + 4 * tx + j % 4);
                if row < m && column < n {
                    sums[i][j] += a[row * k + l] * b[l * n + column];
                }
            }
        }
    }
    for i in 0..8 {
        for j in 0..8 {
            let (row, column) = (first_row + 64 * (i / 4) + 4 * ty + i % 4, first_column + 64 * (j / 4) + 4 * tx + j % 4);
            if row < m && column < n {
                c[row * n + column] = sums[i][j];
            }
        }
    }
}

/// A 4-wide strip per thread, of a matrix with a quarter as many columns of vectors.
#[gpu_kernel]
pub fn product_by_vectors(a: &[f32], b: &[Float4], m: usize, k: usize, n: usize, c: &mut [Float4]) {
    let (column, row) = grid_2d();
    let n4 = n / 4;
    if row < m && column < n4 {
        let mut sum = Float4::splat(0.0);
        for l in 0..k {
            sum = sum + b[l * n4 + column] * a[row * k + l];
        }
        c[row * n4 + column] = sum;
    }
}

/// A block per matrix, a thread per element.
#[gpu_kernel(block = (8, 8))]
pub fn product_batched(a: &[f32], b: &[f32], c: &mut [f32]) {
    let (t, matrix) = (thread_idx(), block_idx().x);
    let base = matrix * 64;
    let mut sum = 0.0;
    for l in 0..8 {
        sum += a[base + t.y * 8 + l] * b[base + l * 8 + t.x];
    }
    c[base + t.y * 8 + t.x] = sum;
}

#[gpu_kernel]
pub fn matrix_vector(a: &[f32], x: &[f32], rows: usize, columns: usize, y: &mut [f32]) {
    let row = grid_1d();
    if row < rows {
        let mut sum = 0.0;
        for j in 0..columns {
            sum += a[row * columns + j] * x[j];
        }
        y[row] = sum;
    }
}

/// Rodinia's lud: one block factorizes the diagonal tile in shared memory.
#[gpu_kernel(block = TILE)]
pub fn lu_diagonal(m: &mut [f32], n: usize, offset: usize) {
    let mut tile = shared::<[[f32; TILE]; TILE]>();
    let t = thread_idx().x;
    for i in 0..TILE {
        tile[i][t] = m[(offset + i) * n + offset + t];
    }
    sync_threads();
    for i in 0..TILE - 1 {
        if t > i {
            for j in 0..i {
                tile[t][i] -= tile[t][j] * tile[j][i];
            }
            tile[t][i] /= tile[i][i];
        }
        sync_threads();
        if t > i {
            for j in 0..i + 1 {
                tile[i + 1][t] -= tile[i + 1][j] * tile[j][t];
            }
        }
        sync_threads();
    }
    for i in 1..TILE {
        m[(offset + i) * n + offset + t] = tile[i][t];
    }
}

/// Rodinia's lud: a row tile per block, which reads the diagonal tile.
#[gpu_kernel(block = TILE)]
pub fn lu_perimeter_row(m: &mut [f32], n: usize, offset: usize) {
    let mut diagonal = shared::<[[f32; TILE]; TILE]>();
    let mut tile = shared::<[[f32; TILE]; TILE]>();
    let t = thread_idx().x;
    let first = offset + (block_idx().x + 1) * TILE;
    for i in 0..TILE {
        diagonal[i][t] = m[(offset + i) * n + offset + t];
        tile[i][t] = m[(offset + i) * n + first + t];
    }
    sync_threads();
    for i in 1..TILE {
        for j in 0..i {
            tile[i][t] -= diagonal[i][j] * tile[j][t];
        }
    }
    for i in 1..TILE {
        m[(offset + i) * n + first + t] = tile[i][t];
    }
}

/// Rodinia's lud: the rest of the matrix.
#[gpu_kernel(block = (TILE, TILE))]
pub fn lu_internal(m: &mut [f32], n: usize, offset: usize) {
    let mut row = shared::<[[f32; TILE]; TILE]>();
    let mut column = shared::<[[f32; TILE]; TILE]>();
    let (tx, ty) = (thread_idx().x, thread_idx().y);
    let (first_row, first_column) = (offset + (block_idx().y + 1) * TILE, offset + (block_idx().x + 1) * TILE);
    row[ty][tx] = m[(offset + ty) * n + first_column + tx];
    column[ty][tx] = m[(first_row + ty) * n + offset + tx];
    sync_threads();
    let mut sum = 0.0;
    for i in 0..TILE {
        sum += column[ty][i] * row[i][tx];
    }
    m[(first_row + ty) * n + first_column + tx] -= sum;
}

/// Column `k` of an LU factorization without pivots: the multipliers.
#[gpu_kernel]
pub fn lu_column(a: &mut [f32], n: usize, k: usize) {
    let i = grid_1d() + k + 1;
    if k < n && i < n {
        a[i * n + k] /= a[k * n + k];
    }
}

/// The right lower part after column `k`.
#[gpu_kernel]
pub fn lu_update(a: &mut [f32], n: usize, k: usize) {
    let (x, y) = grid_2d();
    let (i, j) = (y + k + 1, x + k + 1);
    if i < n && j < n {
        a[i * n + j] -= a[i * n + k] * a[k * n + j];
    }
}

/// Rodinia's gaussian, first kernel.
#[gpu_kernel]
pub fn gaussian_multipliers(a: &[f32], n: usize, t: usize, m: &mut [f32]) {
    let i = grid_1d();
    if i + 1 + t < n {
        m[n * (i + t + 1) + t] = a[n * (i + t + 1) + t] / a[n * t + t];
    }
}

/// Rodinia's gaussian, second kernel.
#[gpu_kernel]
pub fn gaussian_eliminate(m: &[f32], a: &mut [f32], b: &mut [f32], n: usize, t: usize) {
    let (x, y) = grid_2d();
    if x + 1 + t < n && y + t < n {
        a[n * (x + 1 + t) + (y + t)] -= m[n * (x + 1 + t) + t] * a[n * t + (y + t)];
        if y == 0 {
            b[x + 1 + t] -= m[n * (x + 1 + t) + (y + t)] * b[t];
        }
    }
}

/// Gauss–Jordan: a block per row, except for the pivot's.
#[gpu_kernel]
pub fn gauss_jordan(a: &mut [f32], n: usize, k: usize) {
    let (row, t) = (block_idx().x, thread_idx().x);
    if row != k && k < n && row < n {
        for j in (t..n).step_by(block_dim().x) {
            if j > k {
                a[row * n + j] -= a[row * n + k] * a[k * n + j];
            }
        }
    }
}

/// Column `k` of a Cholesky factorization, after the diagonal element.
#[gpu_kernel]
pub fn cholesky_column(a: &mut [f32], n: usize, k: usize) {
    let i = grid_1d() + k + 1;
    if i < n {
        let mut sum = a[i * n + k];
        for j in 0..k {
            sum -= a[i * n + j] * a[k * n + j];
        }
        a[i * n + k] = sum / a[k * n + k];
    }
}

/// In place: the thread above the diagonal exchanges two elements.
#[gpu_kernel]
pub fn transpose_in_place(a: &mut [f32], n: usize) {
    let (j, i) = grid_2d();
    if i < j && j < n {
        let above = a[i * n + j];
        a[i * n + j] = a[j * n + i];
        a[j * n + i] = above;
    }
}

/// What `f` makes of each row and column.
fn matrix(rows: usize, columns: usize, f: impl Fn(usize, usize) -> f32) -> Vec<f32> {
    (0..rows * columns).map(|i| f(i / columns, i % columns)).collect()
}

/// The product of matrices of m·k and k·n elements.
fn product(a: &[f32], b: &[f32], k: usize, n: usize) -> Vec<f32> {
    matrix(a.len() / k, n, |i, j| (0..k).map(|l| a[i * k + l] * b[l * n + j]).fold(0.0, |sum, product| sum + product))
}

/// Triangular matrices of whole numbers, the left one with ones on its diagonal, and their product.
fn triangles(n: usize) -> [Vec<f32>; 3] {
    let x = whole(2 * n * n);
    let left = matrix(n, n, |i, j| {
        if i == j {
            1.0
        } else if i > j {
            x[i * n + j]
        } else {
            0.0
        }
    });
    let right = matrix(n, n, |i, j| {
        if i == j {
            2.0
        } else if i < j {
            x[(n + i) * n + j]
        } else {
            0.0
        }
    });
    let both = product(&left, &right, n, n);
    [left, right, both]
}

fn matrices_are_transposed(bench: &Bench) {
    let (rows, columns, x) = (9, 14, whole(9 * 14));
    let expected = matrix(columns, rows, |i, j| x[j * columns + i]);
    let (mut naive, mut tiled) = (vec![0.0; 126], vec![0.0; 126]);
    launch!(bench, transpose_naive(&x, rows, columns, &mut naive), (2, 2), (8, 8));
    launch!(bench, transpose_tiled(&x, columns, rows, &mut tiled), (4, 3), (TILE as u32, ROWS as u32));
    assert_same(&naive, &expected);
    assert_same(&tiled, &expected);
    let mut square = x[..121].to_vec();
    launch!(bench, transpose_in_place(&mut square, 11), (2, 2), (8, 8));
    assert_same(&square, &matrix(11, 11, |i, j| x[j * 11 + i]));
}

fn matrices_are_multiplied(bench: &Bench) {
    let (m, k, n) = (9, 6, 12);
    let (a, b) = (whole(m * k), whole(k * n));
    let expected = product(&a, &b, k, n);
    let [mut naive, mut tiled, mut by_registers] = [(); 3].map(|()| vec![0.0; m * n]);
    launch!(bench, product_naive(&a, &b, m, k, n, &mut naive), (2, 2), (8, 8));
    launch!(bench, product_tiled(&a, &b, m, k, n, &mut tiled), (3, 3), (TILE as u32, TILE as u32));
    launch!(bench, product_registers(&a, &b, m, k, n, &mut by_registers), (1, 1), (16, 16));
    assert_same(&naive, &expected);
    assert_same(&tiled, &expected);
    assert_same(&by_registers, &expected);

    let vectors = |x: &[f32]| x.chunks(4).map(|lanes| Float4::from([lanes[0], lanes[1], lanes[2], lanes[3]])).collect::<Vec<_>>();
    let mut c = vectors(&vec![0.0; m * n]);
    launch!(bench, product_by_vectors(&a, &vectors(&b), m, k, n, &mut c), (1, 2), (4, 8));
    assert_same(&c.into_iter().flat_map(Float4::to_array).collect::<Vec<_>>(), &expected);

    let mut y = vec![0.0; m];
    launch!(bench, matrix_vector(&a, &b, m, k, &mut y), 1, 16);
    assert_same(&y, &product(&a, &b[..k], k, 1));

    let (a, b) = (whole(192), whole(200)[8..].to_vec());
    let mut c = vec![0.0; 192];
    launch!(bench, product_batched(&a, &b, &mut c), 3, (8, 8));
    assert_same(&c, &a.chunks(64).zip(b.chunks(64)).flat_map(|(a, b)| product(a, b, 8, 8)).collect::<Vec<_>>());
}

/// Both triangular factors in one matrix, without the ones.
fn packed(left: &[f32], right: &[f32], n: usize) -> Vec<f32> {
    matrix(n, n, |i, j| if i > j { left[i * n + j] } else { right[i * n + j] })
}

fn matrices_are_factorized(bench: &Bench) {
    let n = 2 * TILE;
    let [left, right, both] = triangles(n);
    let tile = TILE as u32;
    let mut by_tiles = both.clone();
    launch!(bench, lu_diagonal(&mut by_tiles, n, 0), 1, tile);
    launch!(bench, lu_perimeter_row(&mut by_tiles, n, 0), 1, tile);
    for i in TILE..n {
        by_tiles[i * n..][..TILE].copy_from_slice(&left[i * n..][..TILE]);
    }
    launch!(bench, lu_internal(&mut by_tiles, n, 0), (1, 1), (tile, tile));
    launch!(bench, lu_diagonal(&mut by_tiles, n, TILE), 1, tile);
    assert_same(&by_tiles, &packed(&left, &right, n));

    let mut by_columns = both;
    for k in 0..n {
        launch!(bench, lu_column(&mut by_columns, n, k), 2, 4);
        launch!(bench, lu_update(&mut by_columns, n, k), (2, 2), (4, 4));
    }
    assert_same(&by_columns, &packed(&left, &right, n));
}

fn equations_are_solved(bench: &Bench) {
    let n = 7;
    let [left, right, mut a] = triangles(n);
    let y = whole(n);
    let (mut b, mut multipliers) = (product(&left, &y, n, 1), vec![0.0; n * n]);
    let whole = a.clone();
    for t in 0..n - 1 {
        launch!(bench, gaussian_multipliers(&a, n, t, &mut multipliers), 1, 8);
        launch!(bench, gaussian_eliminate(&multipliers, &mut a, &mut b, n, t), (1, 1), (8, 8));
    }
    assert_same(&multipliers, &matrix(n, n, |i, j| if i > j { left[i * n + j] } else { 0.0 }));
    // Adding zero makes a zero of either sign the same.
    assert_same(&a.iter().map(|x| x + 0.0).collect::<Vec<_>>(), &right.iter().map(|x| x + 0.0).collect::<Vec<_>>());
    assert_same(&b.iter().map(|x| x + 0.0).collect::<Vec<_>>(), &y.iter().map(|x| x + 0.0).collect::<Vec<_>>());

    let (mut a, k) = (whole.clone(), 2);
    launch!(bench, gauss_jordan(&mut a, n, k), n as u32, 4);
    let eliminated = |i, j| whole[i * n + j] - if i != k && j > k { whole[i * n + k] * whole[k * n + j] } else { 0.0 };
    assert_same(&a, &matrix(n, n, eliminated));
}

fn roots_of_matrices_are_found(bench: &Bench) {
    let n = 7;
    let [left, ..] = triangles(n);
    let mut a = product(&left, &matrix(n, n, |i, j| left[j * n + i]), n, n);
    for k in 0..n {
        a[k * n + k] = 1.0;
        launch!(bench, cholesky_column(&mut a, n, k), 2, 4);
    }
    assert_same(&matrix(n, n, |i, j| if i >= j { a[i * n + j] } else { 0.0 }), &left);
}
