//! Image filters.

#[gpu_kernel]
fn gray(rgb: &[u8], out: &mut [u8]) {
    let i = grid_1d();
    if i < out.len() {
        let (r, g, b) = (rgb[3 * i] as u32, rgb[3 * i + 1] as u32, rgb[3 * i + 2] as u32);
        out[i] = ((77 * r + 150 * g + 29 * b) >> 8) as u8;
    }
}

#[gpu_kernel]
fn invert_channels(w: usize, h: usize, rgb: &mut [u8]) {
    let (x, y) = grid_2d();
    if x < w && y < h {
        for c in 0..3 {
            let i = (y * w + x) * 3 + c;
            rgb[i] = 255 - rgb[i];
        }
    }
}

#[gpu_kernel]
fn sobel(x: View<f32, 2>, out: ViewMut<f32, 2>) {
    let (j, i) = grid_2d();
    let [h, w] = x.shape();
    if i > 0 && j > 0 && i < h - 1 && j < w - 1 {
        let gx = x[[i - 1, j + 1]] + 2.0 * x[[i, j + 1]] + x[[i + 1, j + 1]] - x[[i - 1, j - 1]] - 2.0 * x[[i, j - 1]] - x[[i + 1, j - 1]];
        let gy = x[[i + 1, j - 1]] + 2.0 * x[[i + 1, j]] + x[[i + 1, j + 1]] - x[[i - 1, j - 1]] - 2.0 * x[[i - 1, j]] - x[[i - 1, j + 1]];
        out[[i, j]] = (gx * gx + gy * gy).sqrt();
    }
}

#[gpu_kernel]
fn bilateral(x: &[f32], w: usize, h: usize, radius: isize, out: &mut [f32]) {
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
fn rotate_quarter(x: &[u8], w: usize, h: usize, out: &mut [u8]) {
    let (j, i) = grid_2d();
    if i < h && j < w {
        out[j * h + (h - 1 - i)] = x[i * w + j];
    }
}

/// The index of a pixel back into a row and a column.
#[gpu_kernel]
fn brighten_by_index(w: usize, by: f32, out: ViewMut<f32, 2>) {
    let i = grid_1d();
    if i < out.len() && w > 0 {
        out[[i / w, i % w]] += by;
    }
}

#[gpu_kernel]
fn mirror_in_place(w: usize, h: usize, x: &mut [u8]) {
    let (j, i) = grid_2d();
    if i < h && j < w / 2 {
        let (a, b) = (i * w + j, i * w + w - 1 - j);
        (x[a], x[b]) = (x[b], x[a]);
    }
}

/// Sums over boxes along rows: a thread per row.
#[gpu_kernel]
fn box_rows(x: &[f32], w: usize, h: usize, r: usize, out: &mut [f32]) {
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
fn integral_columns(w: usize, h: usize, x: &mut [f32]) {
    let column = grid_1d();
    if column < w {
        for row in 1..h {
            x[row * w + column] += x[(row - 1) * w + column];
        }
    }
}

/// A block's width of elements per warp: `row * 32 + lane`.
#[gpu_kernel(block = 128)]
fn upscale_by_warps(x: &[f32], rows: usize, out: &mut [f32]) {
    let row = (block_idx().x * 128 + thread_idx().x) / 32;
    if row < rows {
        out[row * 32 + lane_id()] = x[row];
    }
}
