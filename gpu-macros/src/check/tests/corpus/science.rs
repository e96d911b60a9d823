//! Particles, signals, clustering, neural networks.

#[gpu_kernel(block = TILE)]
fn nbody_tiled(x: &[f32], y: &[f32], mass: &[f32], ax: &mut [f32], ay: &mut [f32]) {
    let mut tile = shared::<[[f32; 3]; TILE]>();
    let (i, t, n) = (grid_1d(), thread_idx().x, x.len());
    let (px, py) = if i < n { (x[i], y[i]) } else { (0.0, 0.0) };
    let (mut fx, mut fy) = (0.0, 0.0);
    for first in (0..n).step_by(TILE) {
        if first + t < n {
            tile[t] = [x[first + t], y[first + t], mass[first + t]];
        } else {
            tile[t] = [0.0, 0.0, 0.0];
        }
        sync_threads();
        for k in 0..TILE {
            let (dx, dy) = (tile[k][0] - px, tile[k][1] - py);
            let r2 = dx * dx + dy * dy + 0.01;
            let f = tile[k][2] / (r2 * r2.sqrt());
            fx += f * dx;
            fy += f * dy;
        }
        sync_threads();
    }
    if i < ax.len() && i < ay.len() {
        ax[i] = fx;
        ay[i] = fy;
    }
}

/// A Stockham stage: `m` is the half size of the butterflies.
#[gpu_kernel]
fn fft_stockham(re: &[f32], im: &[f32], m: usize, half: usize, out_re: &mut [f32], out_im: &mut [f32]) {
    let i = grid_1d();
    if i < half {
        let k = i % m;
        let j = i / m * 2 * m + k;
        let angle = -3.1415927 * k as f32 / m as f32;
        let (c, s) = (angle.cos(), angle.sin());
        let (br, bi) = (re[i + half] * c - im[i + half] * s, re[i + half] * s + im[i + half] * c);
        out_re[j] = re[i] + br;
        out_im[j] = im[i] + bi;
        out_re[j + m] = re[i] - br;
        out_im[j + m] = im[i] - bi;
    }
}

/// Exchanges each element with the one at its reversed index.
#[gpu_kernel]
fn fft_bit_reversal(x: &mut [f32], bits: u32) {
    let i = grid_1d() as u32;
    let j = i.reverse_bits() >> (32 - bits);
    if i < j && (j as usize) < x.len() {
        (x[i as usize], x[j as usize]) = (x[j as usize], x[i as usize]);
    }
}

/// The same into another array.
#[gpu_kernel]
fn fft_bit_reversal_gather(x: &[f32], bits: u32, out: &mut [f32]) {
    let i = grid_1d();
    if i < out.len() {
        out[i] = x[((i as u32).reverse_bits() >> (32 - bits)) as usize];
    }
}

/// Rows, then columns, of 8×8 tiles.
#[gpu_kernel(block = (8, 8))]
fn dct_8x8(x: &[f32], cosines: &[f32], w: usize, h: usize, out: &mut [f32]) {
    let mut tile = shared::<[[f32; 8]; 8]>();
    let mut rows = shared::<[[f32; 8]; 8]>();
    let (tx, ty) = (thread_idx().x, thread_idx().y);
    let (column, row) = (block_idx().x * 8 + tx, block_idx().y * 8 + ty);
    let inside = column < w && row < h;
    tile[ty][tx] = if inside { x[row * w + column] } else { 0.0 };
    sync_threads();
    let mut sum = 0.0;
    for k in 0..8 {
        sum += tile[ty][k] * cosines[tx * 8 + k];
    }
    rows[ty][tx] = sum;
    sync_threads();
    sum = 0.0;
    for k in 0..8 {
        sum += rows[k][tx] * cosines[ty * 8 + k];
    }
    if inside {
        out[row * w + column] = sum;
    }
}

#[gpu_kernel]
fn kmeans_assign(points: &[[f32; 4]], centroids: &[[f32; 4]], labels: &mut [u32]) {
    let i = grid_1d();
    if i < points.len() && i < labels.len() {
        let (mut best, mut label) = (f32::INFINITY, 0);
        for k in 0..centroids.len() {
            let mut d = 0.0;
            for c in 0..4 {
                let difference = points[i][c] - centroids[k][c];
                d += difference * difference;
            }
            if d < best {
                best = d;
                label = k as u32;
            }
        }
        labels[i] = label;
    }
}

/// A block per centroid, a thread per coordinate.
#[gpu_kernel(block = 4)]
fn kmeans_update(points: &[[f32; 4]], labels: &[u32], centroids: &mut [[f32; 4]]) {
    let (k, d) = (block_idx().x, thread_idx().x);
    if k < centroids.len() {
        let (mut sum, mut count) = (0.0, 0.0);
        for i in 0..points.len() {
            if labels[i] as usize == k {
                sum += points[i][d];
                count += 1.0;
            }
        }
        centroids[k][d] = sum / count;
    }
}

/// Rodinia's backprop, first kernel: 16 partial sums per block.
#[gpu_kernel(block = (16, 16))]
fn backprop_forward(input: &[f32], weights: &[f32], hidden: usize, sums: &mut [f32]) {
    let mut products = shared::<[[f32; 16]; 16]>();
    let (tx, ty, by) = (thread_idx().x, thread_idx().y, block_idx().y);
    let row = by * 16 + ty;
    products[ty][tx] = if tx < hidden { input[row] * weights[row * hidden + tx] } else { 0.0 };
    sync_threads();
    let mut s = 8;
    while s > 0 {
        if ty < s {
            products[ty][tx] += products[ty + s][tx];
        }
        sync_threads();
        s /= 2;
    }
    if ty == 0 && tx < hidden {
        sums[by * hidden + tx] = products[0][tx];
    }
}

/// Rodinia's backprop, second kernel.
#[gpu_kernel(block = (16, 16))]
fn backprop_adjust(delta: &[f32], input: &[f32], hidden: usize, weights: &mut [f32], old: &mut [f32]) {
    let (tx, row) = (thread_idx().x, block_idx().y * 16 + thread_idx().y);
    if tx < hidden {
        let i = (row + 1) * (hidden + 1) + tx + 1;
        let change = 0.3 * delta[tx + 1] * input[row + 1] + 0.3 * old[i];
        weights[i] += change;
        old[i] = change;
    }
}

/// Scores of queries and keys, for each head.
#[gpu_kernel]
fn attention_scores(q: &[f32], k: &[f32], length: usize, width: usize, heads: usize, scores: &mut [f32]) {
    let (column, row, head) = grid_3d();
    if column < length && row < length && head < heads {
        let mut sum = 0.0;
        for d in 0..width {
            sum += q[(head * length + row) * width + d] * k[(head * length + column) * width + d];
        }
        scores[(head * length + row) * length + column] = if column <= row { sum / (width as f32).sqrt() } else { f32::NEG_INFINITY };
    }
}

/// A column of patches for each output position.
#[gpu_kernel]
fn im2col(x: &[f32], channels: usize, h: usize, w: usize, k: usize, out: &mut [f32]) {
    let i = grid_1d();
    let (oh, ow) = (h - k + 1, w - k + 1);
    if i < channels * oh * ow {
        let (column, row, channel) = (i % ow, i / ow % oh, i / ow / oh);
        for dy in 0..k {
            for dx in 0..k {
                out[((channel * k + dy) * k + dx) * (oh * ow) + row * ow + column] = x[(channel * h + row + dy) * w + column + dx];
            }
        }
    }
}

#[gpu_kernel]
fn max_pool(x: &[f32], h: usize, w: usize, out: &mut [f32]) {
    let (j, i, channel) = grid_3d();
    let (oh, ow) = (h / 2, w / 2);
    if i < oh && j < ow {
        let at = (channel * h + 2 * i) * w + 2 * j;
        out[(channel * oh + i) * ow + j] = x[at].max(x[at + 1]).max(x[at + w]).max(x[at + w + 1]);
    }
}

/// Rodinia's particle filter: each particle finds its index by the running sum of weights.
#[gpu_kernel]
fn particle_resample(x: &[f32], y: &[f32], sums: &[f32], u: &[f32], new_x: &mut [f32], new_y: &mut [f32]) {
    let i = grid_1d();
    if i < u.len() {
        let mut index = sums.len() - 1;
        for k in 0..sums.len() {
            if sums[k] >= u[i] {
                index = k;
                break;
            }
        }
        new_x[i] = x[index];
        new_y[i] = y[index];
    }
}

/// Rodinia's streamcluster: what opening a center at `x` would save, per point and center.
#[gpu_kernel]
fn streamcluster_gain(points: &[f32], weights: &[f32], costs: &[f32], assigned: &[u32], dim: usize, x: usize, k: usize, lower: &mut [f32], switch: &mut [u8]) {
    let i = grid_1d();
    let n = weights.len();
    if i < n {
        let mut d = 0.0;
        for c in 0..dim {
            let difference = points[c * n + i] - points[c * n + x];
            d += difference * difference;
        }
        let cost = d * weights[i];
        if cost < costs[i] {
            switch[i] = 1;
            lower[i * (k + 1) + k] += cost - costs[i];
        } else {
            lower[i * (k + 1) + assigned[i] as usize % (k + 1)] += costs[i] - cost;
        }
    }
}

/// Rodinia's lavaMD: a block per box, its neighbors' particles through shared memory.
#[gpu_kernel(block = PER_BOX)]
fn lava_md(positions: &[f32], charges: &[f32], neighbors: &[u32], per_box: usize, force: &mut [f32]) {
    let mut tile = shared::<[[f32; 2]; PER_BOX]>();
    let (home, t) = (block_idx().x, thread_idx().x);
    let own = positions[home * PER_BOX + t];
    let mut sum = 0.0;
    for k in 0..per_box {
        let other = neighbors[home * per_box + k] as usize;
        tile[t] = [positions[other * PER_BOX + t], charges[other * PER_BOX + t]];
        sync_threads();
        for j in 0..PER_BOX {
            let r = own - tile[j][0];
            sum += tile[j][1] * (-r * r).exp();
        }
        sync_threads();
    }
    force[home * PER_BOX + t] += sum;
}

/// As Rodinia's heartwall: a block per point, which correlates a template with the image around it.
#[gpu_kernel(block = 256)]
fn heartwall_correlation(image: &[f32], columns: usize, template: &[f32], size: usize, at: &[u32], scores: &mut [f32]) {
    let (point, t) = (block_idx().x, thread_idx().x);
    let (row, column) = (at[2 * point] as usize, at[2 * point + 1] as usize);
    for place in (t..size * size).step_by(256) {
        let mut sum = 0.0;
        for i in 0..size {
            for j in 0..size {
                sum += template[(point * size + i) * size + j] * image[(row + place / size + i) * columns + column + place % size + j];
            }
        }
        scores[point * (size * size) + place] = sum;
    }
}
