//! Stencils on grids of one to three dimensions, and dynamic programming on a table.

#[gpu_kernel]
fn stencil_1d(x: &[f32], out: &mut [f32]) {
    let i = grid_1d();
    if i > 0 && i + 1 < x.len() {
        out[i] = 0.25 * x[i - 1] + 0.5 * x[i] + 0.25 * x[i + 1];
    }
}

#[gpu_kernel(block = BLOCK)]
fn stencil_1d_halo(x: &[f32], out: &mut [f32]) {
    let mut tile = shared::<[f32; BLOCK + 2 * HALO]>();
    let (i, t) = (grid_1d(), thread_idx().x);
    let at = |i: usize| if i < x.len() { x[i] } else { 0.0 };
    tile[t + HALO] = at(i);
    if t < HALO {
        tile[t] = if i >= HALO { at(i - HALO) } else { 0.0 };
        tile[t + BLOCK + HALO] = at(i + BLOCK);
    }
    sync_threads();
    let mut sum = 0.0;
    for k in 0..2 * HALO + 1 {
        sum += tile[t + k];
    }
    if i < out.len() {
        out[i] = sum;
    }
}

#[gpu_kernel]
fn jacobi_2d(x: &[f32], w: usize, h: usize, out: &mut [f32]) {
    let (j, i) = grid_2d();
    if i > 0 && i < h - 1 && j > 0 && j < w - 1 {
        let c = i * w + j;
        out[c] = 0.25 * (x[c - 1] + x[c + 1] + x[c - w] + x[c + w]);
    }
}

#[gpu_kernel(block = (16, 16))]
fn jacobi_2d_tiled(x: &[f32], w: usize, h: usize, out: &mut [f32]) {
    let mut tile = shared::<[[f32; 18]; 18]>();
    let (j, i) = grid_2d();
    let (tx, ty) = (thread_idx().x, thread_idx().y);
    let at = |i: usize, j: usize| if i < h && j < w { x[i * w + j] } else { 0.0 };
    tile[ty + 1][tx + 1] = at(i, j);
    if tx == 0 {
        tile[ty + 1][0] = at(i, j.wrapping_sub(1));
        tile[ty + 1][17] = at(i, j + 16);
    }
    if ty == 0 {
        tile[0][tx + 1] = at(i.wrapping_sub(1), j);
        tile[17][tx + 1] = at(i + 16, j);
    }
    sync_threads();
    if i < h && j < w {
        out[i * w + j] = 0.25 * (tile[ty][tx + 1] + tile[ty + 2][tx + 1] + tile[ty + 1][tx] + tile[ty + 1][tx + 2]);
    }
}

/// A thread per column of a plane, which walks along z.
#[gpu_kernel]
fn stencil_3d(x: &[f32], nx: usize, ny: usize, nz: usize, out: &mut [f32]) {
    let (i, j) = grid_2d();
    if i > 0 && i + 1 < nx && j > 0 && j + 1 < ny {
        for k in 1..nz - 1 {
            let c = (k * ny + j) * nx + i;
            out[c] = x[c - 1] + x[c + 1] + x[c - nx] + x[c + nx] + x[c - nx * ny] + x[c + nx * ny] - 6.0 * x[c];
        }
    }
}

#[gpu_kernel]
fn heat_view(x: View<f32, 2>, out: ViewMut<f32, 2>) {
    let (j, i) = grid_2d();
    let [h, w] = x.shape();
    if i > 0 && i + 1 < h && j > 0 && j + 1 < w {
        out[[i, j]] = 0.25 * (x[[i - 1, j]] + x[[i + 1, j]] + x[[i, j - 1]] + x[[i, j + 1]]);
    }
}

#[gpu_kernel]
fn life(cells: &[u8], w: usize, h: usize, next: &mut [u8]) {
    let (x, y) = grid_2d();
    if x < w && y < h {
        let mut alive = 0;
        for dy in 0..3 {
            for dx in 0..3 {
                let (nx, ny) = ((x + dx + w - 1) % w, (y + dy + h - 1) % h);
                alive += cells[ny * w + nx];
            }
        }
        alive -= cells[y * w + x];
        next[y * w + x] = if alive == 3 || alive == 2 && cells[y * w + x] == 1 { 1 } else { 0 };
    }
}

/// Rodinia's hotspot: several steps in a tile whose valid part shrinks.
#[gpu_kernel(block = (TILE, TILE))]
fn hotspot(power: &[f32], from: &[f32], steps: usize, rows: usize, columns: usize, to: &mut [f32]) {
    let mut tile = shared::<[[f32; TILE]; TILE]>();
    let (tx, ty) = (thread_idx().x, thread_idx().y);
    let inner = TILE - 2 * STEPS;
    let (x, y) = (block_idx().x * inner + tx, block_idx().y * inner + ty);
    let inside = x >= STEPS && x - STEPS < columns && y >= STEPS && y - STEPS < rows;
    let mut value = 0.0;
    if inside {
        value = from[(y - STEPS) * columns + (x - STEPS)];
    }
    for step in 0..steps {
        tile[ty][tx] = value;
        sync_threads();
        if inside && tx > step && tx + step + 1 < TILE && ty > step && ty + step + 1 < TILE {
            let sum = tile[ty][tx - 1] + tile[ty][tx + 1] + tile[ty - 1][tx] + tile[ty + 1][tx];
            value += 0.1 * (sum - 4.0 * value) + power[(y - STEPS) * columns + (x - STEPS)];
        }
        sync_threads();
    }
    if inside && tx >= STEPS && tx < TILE - STEPS && ty >= STEPS && ty < TILE - STEPS {
        to[(y - STEPS) * columns + (x - STEPS)] = value;
    }
}

/// Rodinia's srad, first kernel: four derivatives and a coefficient.
#[gpu_kernel]
fn srad_coefficients(image: &[f32], rows: usize, columns: usize, q: f32, north: &mut [f32], west: &mut [f32], c: &mut [f32]) {
    let (x, y) = grid_2d();
    if x < columns && y < rows {
        let i = y * columns + x;
        let up = image[y.saturating_sub(1) * columns + x] - image[i];
        let left = image[y * columns + x.saturating_sub(1)] - image[i];
        north[i] = up;
        west[i] = left;
        c[i] = (1.0 / (1.0 + (up * up + left * left - q) / (q * (1.0 + q)))).clamp(0.0, 1.0);
    }
}

/// Rodinia's srad, second kernel.
#[gpu_kernel]
fn srad_update(image: &mut [f32], rows: usize, columns: usize, lambda: f32, north: &[f32], west: &[f32], c: &[f32]) {
    let (x, y) = grid_2d();
    if x < columns && y < rows {
        let i = y * columns + x;
        let south = c[(y + 1).min(rows - 1) * columns + x];
        image[i] += 0.25 * lambda * (c[i] * north[i] + c[i] * west[i] + south);
    }
}

/// Rodinia's pathfinder: several rows in a block, whose valid part shrinks by one per row.
#[gpu_kernel(block = BLOCK)]
fn pathfinder(wall: &[i32], from: &[i32], columns: usize, first: usize, to: &mut [i32]) {
    let mut row = shared::<[i32; BLOCK]>();
    let t = thread_idx().x;
    let x = (block_idx().x * (BLOCK - 2 * STEPS) + t) as isize - STEPS as isize;
    let valid = x >= 0 && x < columns as isize;
    let mut best = if valid { from[x as usize] } else { i32::MAX };
    for step in 0..STEPS {
        row[t] = best;
        sync_threads();
        if valid && t > step && t + step + 1 < BLOCK {
            best = row[t].min(row[t - 1]).min(row[t + 1]) + wall[(first + step) * columns + x as usize];
        }
        sync_threads();
    }
    if valid && t >= STEPS && t < BLOCK - STEPS {
        to[x as usize] = best;
    }
}

/// Rodinia's Needleman–Wunsch: a diagonal of 16×16 tiles, a block per tile.
#[gpu_kernel(block = 16)]
fn needleman_wunsch(reference: &[i32], columns: usize, penalty: i32, diagonal: usize, scores: &mut [i32]) {
    let mut tile = shared::<[[i32; 17]; 17]>();
    let t = thread_idx().x;
    let (bx, by) = (block_idx().x, diagonal - block_idx().x);
    let origin = by * 16 * columns + bx * 16;
    if t == 0 {
        tile[0][0] = scores[origin];
    }
    tile[0][t + 1] = scores[origin + t + 1];
    tile[t + 1][0] = scores[origin + (t + 1) * columns];
    sync_threads();
    for step in 0..31 {
        if t <= step && step - t < 16 {
            let (i, j) = (step - t + 1, t + 1);
            let match_score = tile[i - 1][j - 1] + reference[origin + i * columns + j];
            tile[i][j] = match_score.max(tile[i - 1][j] - penalty).max(tile[i][j - 1] - penalty);
        }
        sync_threads();
    }
    for i in 0..16 {
        scores[origin + (i + 1) * columns + t + 1] = tile[i + 1][t + 1];
    }
}

/// A separable convolution along rows, with a halo to both sides.
#[gpu_kernel(block = (16, 4))]
fn convolution_rows(x: &[f32], taps: &[f32], w: usize, h: usize, out: &mut [f32]) {
    let mut tile = shared::<[[f32; 48]; 4]>();
    let (tx, ty) = (thread_idx().x, thread_idx().y);
    let (j, i) = grid_2d();
    for k in 0..3 {
        let column = j + 16 * k;
        tile[ty][tx + 16 * k] = if i < h && column >= 16 && column < w + 16 { x[i * w + column - 16] } else { 0.0 };
    }
    sync_threads();
    if i < h && j < w {
        let mut sum = 0.0;
        for k in 0..taps.len() {
            sum += taps[k] * tile[ty][tx + 8 + k];
        }
        out[i * w + j] = sum;
    }
}

#[gpu_kernel]
fn convolution_columns(x: &[f32], taps: &[f32], w: usize, h: usize, out: &mut [f32]) {
    let (j, i) = grid_2d();
    if i < h && j < w {
        let mut sum = 0.0;
        for k in 0..taps.len() {
            let row = i + k;
            if row >= 8 && row - 8 < h {
                sum += taps[k] * x[(row - 8) * w + j];
            }
        }
        out[i * w + j] = sum;
    }
}
