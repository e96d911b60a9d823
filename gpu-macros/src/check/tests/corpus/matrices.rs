//! Dense matrices: transposes, products, factorizations.

#[gpu_kernel]
fn transpose_naive(x: &[f32], rows: usize, columns: usize, out: &mut [f32]) {
    let (j, i) = grid_2d();
    if i < rows && j < columns {
        out[j * rows + i] = x[i * columns + j];
    }
}

/// CUDA samples: tiles of 32×32, by blocks of 32×8.
#[gpu_kernel(block = (TILE, ROWS))]
fn transpose_tiled(x: &[f32], width: usize, height: usize, out: &mut [f32]) {
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
fn product_naive(a: &[f32], b: &[f32], m: usize, k: usize, n: usize, c: &mut [f32]) {
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
fn product_tiled(a: &[f32], b: &[f32], m: usize, k: usize, n: usize, c: &mut [f32]) {
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
fn product_registers(a: &[f32], b: &[f32], m: usize, k: usize, n: usize, c: &mut [f32]) {
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
fn product_by_vectors(a: &[f32], b: &[Float4], m: usize, k: usize, n: usize, c: &mut [Float4]) {
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
fn product_batched(a: &[f32], b: &[f32], c: &mut [f32]) {
    let (t, matrix) = (thread_idx(), block_idx().x);
    let base = matrix * 64;
    let mut sum = 0.0;
    for l in 0..8 {
        sum += a[base + t.y * 8 + l] * b[base + l * 8 + t.x];
    }
    c[base + t.y * 8 + t.x] = sum;
}

#[gpu_kernel]
fn matrix_vector(a: &[f32], x: &[f32], rows: usize, columns: usize, y: &mut [f32]) {
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
fn lu_diagonal(m: &mut [f32], n: usize, offset: usize) {
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
fn lu_perimeter_row(m: &mut [f32], n: usize, offset: usize) {
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
fn lu_internal(m: &mut [f32], n: usize, offset: usize) {
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
fn lu_column(a: &mut [f32], n: usize, k: usize) {
    let i = grid_1d() + k + 1;
    if k < n && i < n {
        a[i * n + k] /= a[k * n + k];
    }
}

/// The right lower part after column `k`.
#[gpu_kernel]
fn lu_update(a: &mut [f32], n: usize, k: usize) {
    let (x, y) = grid_2d();
    let (i, j) = (y + k + 1, x + k + 1);
    if i < n && j < n {
        a[i * n + j] -= a[i * n + k] * a[k * n + j];
    }
}

/// Rodinia's gaussian, first kernel.
#[gpu_kernel]
fn gaussian_multipliers(a: &[f32], n: usize, t: usize, m: &mut [f32]) {
    let i = grid_1d();
    if i + 1 + t < n {
        m[n * (i + t + 1) + t] = a[n * (i + t + 1) + t] / a[n * t + t];
    }
}

/// Rodinia's gaussian, second kernel.
#[gpu_kernel]
fn gaussian_eliminate(m: &[f32], a: &mut [f32], b: &mut [f32], n: usize, t: usize) {
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
fn gauss_jordan(a: &mut [f32], n: usize, k: usize) {
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
fn cholesky_column(a: &mut [f32], n: usize, k: usize) {
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
fn transpose_in_place(a: &mut [f32], n: usize) {
    let (j, i) = grid_2d();
    if i < j && j < n {
        let above = a[i * n + j];
        a[i * n + j] = a[j * n + i];
        a[j * n + i] = above;
    }
}
