//! Image filters.

use gpu_runtime::prelude::*;

use crate::bench::{Bench, assert_close, assert_same, bytes_below, view, view_mut, whole};
use crate::{cases, launch};

cases![colors_change, edges_are_found, images_are_turned, rows_are_summed, rows_are_widened, windows_become_columns];

#[gpu_kernel]
pub fn gray(rgb: &[u8], out: &mut [u8]) {
    let i = grid_1d();
    if i < out.len() {
        let (r, g, b) = (rgb[3 * i] as u32, rgb[3 * i + 1] as u32, rgb[3 * i + 2] as u32);
        out[i] = ((77 * r + 150 * g + 29 * b) >> 8) as u8;
    }
}

#[gpu_kernel]
pub fn invert_channels(w: usize, h: usize, rgb: &mut [u8]) {
    let (x, y) = grid_2d();
    if x < w && y < h {
        for c in 0..3 {
            let i = (y * w + x) * 3 + c;
            rgb[i] = 255 - rgb[i];
        }
    }
}

#[gpu_kernel]
pub fn sobel(x: View<f32, 2>, out: ViewMut<f32, 2>) {
    let (j, i) = grid_2d();
    let [h, w] = x.shape();
    if i > 0 && j > 0 && i < h - 1 && j < w - 1 {
        let gx = x[[i - 1, j + 1]] + 2.0 * x[[i, j + 1]] + x[[i + 1, j + 1]] - x[[i - 1, j - 1]] - 2.0 * x[[i, j - 1]] - x[[i + 1, j - 1]];
        let gy = x[[i + 1, j - 1]] + 2.0 * x[[i + 1, j]] + x[[i + 1, j + 1]] - x[[i - 1, j - 1]] - 2.0 * x[[i - 1, j]] - x[[i - 1, j + 1]];
        out[[i, j]] = (gx * gx + gy * gy).sqrt();
    }
}

#[gpu_kernel]
pub fn bilateral(x: &[f32], w: usize, h: usize, radius: isize, out: &mut [f32]) {
    let (px, py) = grid_2d();
    if px >= w || py >= h {
        return;
    }
    let center = x[py * w + px];
    let (mut sum, mut weights) = (0.0, 0.0);
    for dy in -radius..=radius {
        for dx in -radius..=radius {
            let (qx, qy) = ((px as isize + dx).clamp(0, w as isize - 1) as usize, (py as isize + dy).clamp(0, h as isize - 1) as usize);
            let value = x[qy * w + qx];
            let weight = (-((dx * dx + dy * dy) as f32) - (value - center) * (value - center)).exp();
            sum += weight * value;
            weights += weight;
        }
    }
    out[py * w + px] = sum / weights;
}

/// A quarter turn.
#[gpu_kernel]
pub fn rotate_quarter(x: &[u8], w: usize, h: usize, out: &mut [u8]) {
    let (j, i) = grid_2d();
    if i < h && j < w {
        out[j * h + (h - 1 - i)] = x[i * w + j];
    }
}

/// The index of a pixel back into a row and a column.
#[gpu_kernel]
pub fn brighten_by_index(w: usize, by: f32, out: ViewMut<f32, 2>) {
    let i = grid_1d();
    if i < out.len() && w > 0 {
        out[[i / w, i % w]] += by;
    }
}

#[gpu_kernel]
pub fn mirror_in_place(w: usize, h: usize, x: &mut [u8]) {
    let (j, i) = grid_2d();
    if i < h && j < w / 2 {
        let (a, b) = (i * w + j, i * w + w - 1 - j);
        (x[a], x[b]) = (x[b], x[a]);
    }
}

/// Sums over boxes along rows: a thread per row.
#[gpu_kernel]
pub fn box_rows(x: &[f32], w: usize, h: usize, r: usize, out: &mut [f32]) {
    let row = grid_1d();
    if row < h {
        let mut sum = 0.0;
        for j in 0..w + r {
            if j < w {
                sum += x[row * w + j];
            }
            if j > 2 * r {
                sum -= x[row * w + j - 2 * r - 1];
            }
            if j >= r {
                out[row * w + (j - r)] = sum;
            }
        }
    }
}

/// A summed-area table, down the columns.
#[gpu_kernel]
pub fn integral_columns(w: usize, h: usize, x: &mut [f32]) {
    let column = grid_1d();
    if column < w {
        for row in 1..h {
            x[row * w + column] += x[(row - 1) * w + column];
        }
    }
}

/// A block's width of elements per warp: `row * 32 + lane`.
#[gpu_kernel(block = 128)]
pub fn upscale_by_warps(x: &[f32], rows: usize, out: &mut [f32]) {
    let row = (block_idx().x * 128 + thread_idx().x) / 32;
    if row < rows {
        out[row * 32 + lane_id()] = x[row];
    }
}

/// The windows of `k` × `k` pixels of `c` channels as columns of a matrix, whose product with filters is a convolution (Caffe's `im2col`).
#[gpu_kernel]
pub fn im2col_padded(x: &[f32], c: usize, h: usize, w: usize, k: usize, pad: usize, columns: &mut [f32]) {
    let (ho, wo) = (h + 2 * pad - k + 1, w + 2 * pad - k + 1);
    let i = grid_1d();
    if i < c * ho * wo {
        let (channel, y, px) = (i / (ho * wo), i % (ho * wo) / wo, i % (ho * wo) % wo);
        for dy in 0..k {
            for dx in 0..k {
                let (row, column) = ((y + dy) as isize - pad as isize, (px + dx) as isize - pad as isize);
                let is_inside = row >= 0 && row < h as isize && column >= 0 && column < w as isize;
                let value = if is_inside { x[(channel * h + row as usize) * w + column as usize] } else { 0.0 };
                columns[((channel * k + dy) * k + dx) * (ho * wo) + y * wo + px] = value;
            }
        }
    }
}

const W: usize = 11;
const H: usize = 9;

/// What `f` makes of each row and column.
fn image<T>(f: impl Fn(usize, usize) -> T) -> Vec<T> {
    (0..W * H).map(|i| f(i / W, i % W)).collect()
}

fn colors_change(bench: &Bench) {
    let rgb = bytes_below(255, 3 * W * H);
    let mut out = vec![0; W * H];
    launch!(bench, gray(&rgb, &mut out), 4, 32);
    let mix = |pixel: &[u8]| ((77 * u32::from(pixel[0]) + 150 * u32::from(pixel[1]) + 29 * u32::from(pixel[2])) / 256) as u8;
    assert_same(&out, &rgb.chunks(3).map(mix).collect::<Vec<_>>());
    let mut inverted = rgb.clone();
    launch!(bench, invert_channels(W, H, &mut inverted), (2, 2), (8, 8));
    assert_same(&inverted, &rgb.iter().map(|byte| 255 - byte).collect::<Vec<_>>());
    let x = whole(W * H);
    let mut brighter = x.clone();
    launch!(bench, brighten_by_index(W, 3.0, view_mut(&mut brighter, [H, W])), 4, 32);
    assert_same(&brighter, &x.iter().map(|x| x + 3.0).collect::<Vec<_>>());
}

fn edges_are_found(bench: &Bench) {
    let x = whole(W * H);
    let mut out = vec![0.0; W * H];
    launch!(bench, sobel(view(&x, [H, W]), view_mut(&mut out, [H, W])), (2, 2), (8, 8));
    let weighted = |f: &dyn Fn(usize, f32) -> f32| f(0, 1.0) + f(1, 2.0) + f(2, 1.0);
    let edge = |i: usize, j: usize| {
        if i == 0 || j == 0 || i + 1 == H || j + 1 == W {
            return 0.0;
        }
        let at = |di: usize, dj: usize| x[(i + di - 1) * W + j + dj - 1];
        let gx = weighted(&|k, weight| weight * (at(k, 2) - at(k, 0)));
        let gy = weighted(&|k, weight| weight * (at(2, k) - at(0, k)));
        (gx * gx + gy * gy).sqrt()
    };
    assert_same(&out, &image(edge));

    let mut smooth = vec![0.0; W * H];
    launch!(bench, bilateral(&x, W, H, 1, &mut smooth), (2, 2), (8, 8));
    let mean = |i: usize, j: usize| {
        let near = |at: usize, k: usize, n: usize| (at + k).clamp(1, n) - 1;
        let (mut sum, mut weights) = (0.0, 0.0);
        for k in 0..9 {
            let value = x[near(i, k / 3, H) * W + near(j, k % 3, W)];
            let distance = [k / 3, k % 3].map(|k| (k as f32 - 1.0).powi(2)).iter().sum::<f32>();
            let weight = (-distance - (value - x[i * W + j]).powi(2)).exp();
            (sum, weights) = (sum + weight * value, weights + weight);
        }
        sum / weights
    };
    assert_close(&smooth, &image(mean));
}

fn images_are_turned(bench: &Bench) {
    let x = bytes_below(255, W * H);
    let mut turned = vec![0; W * H];
    launch!(bench, rotate_quarter(&x, W, H, &mut turned), (2, 2), (8, 8));
    assert_same(&turned, &(0..W * H).map(|i| x[(H - 1 - i % H) * W + i / H]).collect::<Vec<_>>());
    let mut mirrored = x.clone();
    launch!(bench, mirror_in_place(W, H, &mut mirrored), (1, 2), (8, 8));
    assert_same(&mirrored, &image(|i, j| x[i * W + W - 1 - j]));
}

fn rows_are_summed(bench: &Bench) {
    let (x, r) = (whole(W * H), 2);
    let mut out = vec![0.0; W * H];
    launch!(bench, box_rows(&x, W, H, r, &mut out), 1, 16);
    assert_same(&out, &image(|i, j| x[i * W + j.saturating_sub(r)..i * W + W.min(j + r + 1)].iter().sum()));
    let mut sums = x.clone();
    launch!(bench, integral_columns(W, H, &mut sums), 1, 16);
    assert_same(&sums, &image(|i, j| x[j..(i * W + W).min(W * H)].iter().step_by(W).take(i + 1).sum()));
}

fn rows_are_widened(bench: &Bench) {
    let (rows, x) = (6, whole(6));
    let mut out = vec![0.0; 192];
    launch!(bench, upscale_by_warps(&x, rows, &mut out), 2, 128);
    assert_same(&out, &(0..192).map(|i| x[i / 32]).collect::<Vec<_>>());
}

fn windows_become_columns(bench: &Bench) {
    let (channels, k, pad) = (2, 3, 1);
    let x = whole(channels * W * H);
    let mut columns = vec![-1.0; channels * k * k * W * H];
    launch!(bench, im2col_padded(&x, channels, H, W, k, pad, &mut columns), 4, 64);
    let expected = (0..columns.len()).map(|at| {
        let (row, y, x_of_window) = (at / (W * H), at % (W * H) / W, at % W);
        let (channel, dy, dx) = (row / (k * k), row / k % k, row % k);
        let (y, column) = ((y + dy).checked_sub(pad), (x_of_window + dx).checked_sub(pad));
        match (y.filter(|y| *y < H), column.filter(|column| *column < W)) {
            (Some(y), Some(column)) => x[(channel * H + y) * W + column],
            _ => 0.0,
        }
    });
    assert_same(&columns, &expected.collect::<Vec<_>>());
}
