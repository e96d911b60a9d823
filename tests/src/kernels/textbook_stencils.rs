//! Stencils on grids of one to three dimensions, and dynamic programming on a table.

use gpu_runtime::prelude::*;

use crate::bench::{Bench, assert_close, assert_same, below, bytes_below, positive, view, view_mut, whole};
use crate::{cases, launch};

cases![lines_are_smoothed, planes_are_smoothed, cells_live, hot_spots_spread, images_lose_noise, paths_are_short, sequences_are_aligned];

const BLOCK: usize = 16;
const HALO: usize = 2;
const TILE: usize = 8;
const STEPS: usize = 2;

#[gpu_kernel]
pub fn stencil_1d(x: &[f32], out: &mut [f32]) {
    let i = grid_1d();
    if i > 0 && i + 1 < x.len() {
        out[i] = 0.25 * x[i - 1] + 0.5 * x[i] + 0.25 * x[i + 1];
    }
}

#[gpu_kernel(block = BLOCK)]
pub fn stencil_1d_halo(x: &[f32], out: &mut [f32]) {
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
pub fn jacobi_2d(x: &[f32], w: usize, h: usize, out: &mut [f32]) {
    let (j, i) = grid_2d();
    if i > 0 && i < h - 1 && j > 0 && j < w - 1 {
        let c = i * w + j;
        out[c] = 0.25 * (x[c - 1] + x[c + 1] + x[c - w] + x[c + w]);
    }
}

#[gpu_kernel(block = (16, 16))]
pub fn jacobi_2d_tiled(x: &[f32], w: usize, h: usize, out: &mut [f32]) {
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
pub fn stencil_3d(x: &[f32], nx: usize, ny: usize, nz: usize, out: &mut [f32]) {
    let (i, j) = grid_2d();
    if i > 0 && i + 1 < nx && j > 0 && j + 1 < ny {
        for k in 1..nz - 1 {
            let c = (k * ny + j) * nx + i;
            out[c] = x[c - 1] + x[c + 1] + x[c - nx] + x[c + nx] + x[c - nx * ny] + x[c + nx * ny] - 6.0 * x[c];
        }
    }
}

#[gpu_kernel]
pub fn heat_view(x: View<f32, 2>, out: ViewMut<f32, 2>) {
    let (j, i) = grid_2d();
    let [h, w] = x.shape();
    if i > 0 && i + 1 < h && j > 0 && j + 1 < w {
        out[[i, j]] = 0.25 * (x[[i - 1, j]] + x[[i + 1, j]] + x[[i, j - 1]] + x[[i, j + 1]]);
    }
}

#[gpu_kernel]
pub fn life(cells: &[u8], w: usize, h: usize, next: &mut [u8]) {
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
pub fn hotspot(power: &[f32], from: &[f32], steps: usize, rows: usize, columns: usize, to: &mut [f32]) {
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
pub fn srad_coefficients(image: &[f32], rows: usize, columns: usize, q: f32, north: &mut [f32], west: &mut [f32], c: &mut [f32]) {
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
pub fn srad_update(image: &mut [f32], rows: usize, columns: usize, lambda: f32, north: &[f32], west: &[f32], c: &[f32]) {
    let (x, y) = grid_2d();
    if x < columns && y < rows {
        let i = y * columns + x;
        let south = c[(y + 1).min(rows - 1) * columns + x];
        image[i] += 0.25 * lambda * (c[i] * north[i] + c[i] * west[i] + south);
    }
}

/// Rodinia's pathfinder: several rows in a block, whose valid part shrinks by one per row.
#[gpu_kernel(block = BLOCK)]
pub fn pathfinder(wall: &[i32], from: &[i32], columns: usize, first: usize, to: &mut [i32]) {
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
pub fn needleman_wunsch(reference: &[i32], columns: usize, penalty: i32, diagonal: usize, scores: &mut [i32]) {
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
pub fn convolution_rows(x: &[f32], taps: &[f32], w: usize, h: usize, out: &mut [f32]) {
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
pub fn convolution_columns(x: &[f32], taps: &[f32], w: usize, h: usize, out: &mut [f32]) {
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

/// Element `i` of `x`, with zeros beyond its ends.
fn at(x: &[f32], i: isize) -> f32 {
    usize::try_from(i).ok().and_then(|i| x.get(i).copied()).unwrap_or(0.0)
}

/// An element of an image of rows of `w`, with zeros around it.
fn pixel(x: &[f32], w: usize, i: isize, j: isize) -> f32 {
    if (0..w as isize).contains(&j) { at(x, i * w as isize + j) } else { 0.0 }
}

/// What `f` makes of each row and column.
fn plane<T>(h: usize, w: usize, f: impl Fn(isize, isize) -> T) -> Vec<T> {
    (0..h * w).map(|i| f((i / w) as isize, (i % w) as isize)).collect()
}

fn lines_are_smoothed(bench: &Bench) {
    let (n, x) = (50, whole(50));
    let (mut smooth, mut sums) = (vec![0.0; n], vec![0.0; n]);
    launch!(bench, stencil_1d(&x, &mut smooth), 4, 16);
    launch!(bench, stencil_1d_halo(&x, &mut sums), 4, BLOCK as u32);
    let weighted = |i: usize| if i == 0 || i == n - 1 { 0.0 } else { 0.25 * x[i - 1] + 0.5 * x[i] + 0.25 * x[i + 1] };
    assert_same(&smooth, &(0..n).map(weighted).collect::<Vec<_>>());
    assert_same(&sums, &(0..n as isize).map(|i| (-2..3).map(|k| at(&x, i + k)).sum()).collect::<Vec<_>>());
}

fn planes_are_smoothed(bench: &Bench) {
    let (w, h, x) = (20, 18, whole(20 * 18));
    let mean = |i, j| 0.25 * (pixel(&x, w, i - 1, j) + pixel(&x, w, i + 1, j) + pixel(&x, w, i, j - 1) + pixel(&x, w, i, j + 1));
    let is_inner = |i, j| i > 0 && j > 0 && i < h as isize - 1 && j < w as isize - 1;
    let inner = plane(h, w, |i, j| if is_inner(i, j) { mean(i, j) } else { 0.0 });
    let (mut flat, mut tiled, mut viewed) = (vec![0.0; w * h], vec![0.0; w * h], vec![0.0; w * h]);
    launch!(bench, jacobi_2d(&x, w, h, &mut flat), (3, 3), (8, 8));
    launch!(bench, heat_view(view(&x, [h, w]), view_mut(&mut viewed, [h, w])), (3, 3), (8, 8));
    launch!(bench, jacobi_2d_tiled(&x, w, h, &mut tiled), (2, 2), (16, 16));
    assert_same(&flat, &inner);
    assert_same(&viewed, &inner);
    assert_same(&tiled, &plane(h, w, mean));

    let taps = whole(17);
    let (mut rows, mut columns) = (vec![0.0; w * h], vec![0.0; w * h]);
    launch!(bench, convolution_rows(&x, &taps, w, h, &mut rows), (2, 5), (16, 4));
    launch!(bench, convolution_columns(&x, &taps, w, h, &mut columns), (3, 3), (8, 8));
    let sum = |f: &dyn Fn(isize) -> f32| (-8..).zip(&taps).map(|(k, tap)| tap * f(k)).fold(0.0, |sum, product| sum + product);
    assert_close(&rows, &plane(h, w, |i, j| sum(&|k| pixel(&x, w, i, j + k))));
    assert_close(&columns, &plane(h, w, |i, j| sum(&|k| pixel(&x, w, i + k, j))));

    let (nx, ny, nz) = (6, 5, 12);
    let mut out = vec![0.0; nx * ny * nz];
    launch!(bench, stencil_3d(&x, nx, ny, nz, &mut out), (2, 2), (4, 4));
    let laplacian = |c: usize| x[c - 1] + x[c + 1] + x[c - nx] + x[c + nx] + x[c - nx * ny] + x[c + nx * ny] - 6.0 * x[c];
    let inner = |c, n| c > 0 && c + 1 < n;
    let expected = (0..nx * ny * nz).map(|c| {
        let is_inner = inner(c % nx, nx) && inner(c / nx % ny, ny) && inner(c / nx / ny, nz);
        if is_inner { laplacian(c) } else { 0.0 }
    });
    assert_same(&out, &expected.collect::<Vec<_>>());
}

fn cells_live(bench: &Bench) {
    let (w, h, cells) = (11, 9, bytes_below(2, 99));
    let mut next = vec![0; w * h];
    launch!(bench, life(&cells, w, h, &mut next), (2, 2), (8, 8));
    let cell = |i: isize, j: isize| cells[i.rem_euclid(h as isize) as usize * w + j.rem_euclid(w as isize) as usize];
    let neighbors = |i, j| (0..9).filter(|k| *k != 4).map(|k| cell(i + k / 3 - 1, j + k % 3 - 1)).sum::<u8>();
    assert_same(&next, &plane(h, w, |i, j| u8::from(matches!((neighbors(i, j), cell(i, j)), (3, _) | (2, 1)))));
}

fn hot_spots_spread(bench: &Bench) {
    let (rows, columns, power, from) = (10, 9, whole(90), positive(90));
    let mut to = vec![0.0; 90];
    launch!(bench, hotspot(&power, &from, STEPS, rows, columns, &mut to), (3, 3), (TILE as u32, TILE as u32));
    let step = |x: &Vec<f32>| {
        plane(rows, columns, |i, j| {
            let (at, value) = (|i, j| pixel(x, columns, i, j), pixel(x, columns, i, j));
            value + 0.1 * (at(i, j - 1) + at(i, j + 1) + at(i - 1, j) + at(i + 1, j) - 4.0 * value) + pixel(&power, columns, i, j)
        })
    };
    assert_close(&to, &step(&step(&from)));
}

fn images_lose_noise(bench: &Bench) {
    let (rows, columns, q) = (9, 10, 0.5);
    let image = whole(90);
    let (mut north, mut west, mut c) = (vec![0.0; 90], vec![0.0; 90], vec![0.0; 90]);
    launch!(bench, srad_coefficients(&image, rows, columns, q, &mut north, &mut west, &mut c), (2, 2), (8, 8));
    let at = |i: isize, j: isize| image[i.max(0) as usize * columns + j.max(0) as usize];
    let (up, left) = (|i, j| at(i - 1, j) - at(i, j), |i, j| at(i, j - 1) - at(i, j));
    assert_same(&north, &plane(rows, columns, up));
    assert_same(&west, &plane(rows, columns, left));
    let gradient = |i, j| up(i, j) * up(i, j) + left(i, j) * left(i, j);
    assert_close(&c, &plane(rows, columns, |i, j| (1.0 / (1.0 + (gradient(i, j) - q) / (q * (1.0 + q)))).clamp(0.0, 1.0)));
    let mut updated = image.clone();
    launch!(bench, srad_update(&mut updated, rows, columns, 0.5, &north, &west, &c), (2, 2), (8, 8));
    let expected = (0..90).map(|i| image[i] + 0.125 * (c[i] * north[i] + c[i] * west[i] + c[if i < 80 { i + 10 } else { i }]));
    assert_close(&updated, &expected.collect::<Vec<_>>());
}

fn paths_are_short(bench: &Bench) {
    let (columns, first) = (40, 1);
    let numbers = |n| below(10, n).into_iter().map(|number| number as i32).collect::<Vec<_>>();
    let (wall, from) = (numbers(160), numbers(40));
    let mut to = vec![0; columns];
    launch!(bench, pathfinder(&wall, &from, columns, first, &mut to), 4, BLOCK as u32);
    let mut best = from;
    for row in wall.chunks(columns).skip(first).take(STEPS) {
        best = (0..columns).map(|x| best[x.saturating_sub(1)..columns.min(x + 2)].iter().min().unwrap() + row[x]).collect();
    }
    assert_same(&to, &best);
}

fn sequences_are_aligned(bench: &Bench) {
    let (columns, penalty) = (33, 2);
    let reference: Vec<i32> = below(7, columns * columns).into_iter().map(|score| score as i32 - 3).collect();
    let mut scores: Vec<i32> = plane(columns, columns, |i, j| if i == 0 || j == 0 { -2 * (i + j) as i32 } else { 0 });
    let mut expected = scores.clone();
    for i in 1..columns {
        for j in 1..columns {
            let c = i * columns + j;
            if i <= 16 || j <= 16 {
                expected[c] =
                    (expected[c - columns - 1] + reference[c]).max(expected[c - columns] - penalty).max(expected[c - 1] - penalty);
            }
        }
    }
    launch!(bench, needleman_wunsch(&reference, columns, penalty, 0, &mut scores), 1, 16);
    launch!(bench, needleman_wunsch(&reference, columns, penalty, 1, &mut scores), 2, 16);
    assert_same(&scores, &expected);
}
