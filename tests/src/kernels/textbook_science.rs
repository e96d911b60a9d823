//! Particles, signals, clustering, neural networks.

use gpu_runtime::prelude::*;

use crate::bench::{Bench, assert_close, assert_same, below, positive, whole};
use crate::{cases, launch};

cases![
    bodies_attract,
    signals_are_transformed,
    points_are_clustered,
    networks_learn,
    patches_are_gathered,
    particles_are_weighted,
    frames_are_correlated
];

const TILE: usize = 8;
const PER_BOX: usize = 4;

#[gpu_kernel(block = TILE)]
pub fn nbody_tiled(x: &[f32], y: &[f32], mass: &[f32], ax: &mut [f32], ay: &mut [f32]) {
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
pub fn fft_stockham(re: &[f32], im: &[f32], m: usize, half: usize, out_re: &mut [f32], out_im: &mut [f32]) {
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
pub fn fft_bit_reversal(x: &mut [f32], bits: u32) {
    let i = grid_1d() as u32;
    let j = i.reverse_bits() >> (32 - bits);
    if i < j && (j as usize) < x.len() {
        (x[i as usize], x[j as usize]) = (x[j as usize], x[i as usize]);
    }
}

/// The same into another array.
#[gpu_kernel]
pub fn fft_bit_reversal_gather(x: &[f32], bits: u32, out: &mut [f32]) {
    let i = grid_1d();
    if i < out.len() {
        out[i] = x[((i as u32).reverse_bits() >> (32 - bits)) as usize];
    }
}

/// Rows, then columns, of 8×8 tiles.
#[gpu_kernel(block = (8, 8))]
pub fn dct_8x8(x: &[f32], cosines: &[f32], w: usize, h: usize, out: &mut [f32]) {
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
pub fn kmeans_assign(points: &[[f32; 4]], centroids: &[[f32; 4]], labels: &mut [u32]) {
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
pub fn kmeans_update(points: &[[f32; 4]], labels: &[u32], centroids: &mut [[f32; 4]]) {
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
pub fn backprop_forward(input: &[f32], weights: &[f32], hidden: usize, sums: &mut [f32]) {
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
pub fn backprop_adjust(delta: &[f32], input: &[f32], hidden: usize, weights: &mut [f32], old: &mut [f32]) {
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
pub fn attention_scores(q: &[f32], k: &[f32], length: usize, width: usize, heads: usize, scores: &mut [f32]) {
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
pub fn im2col(x: &[f32], channels: usize, h: usize, w: usize, k: usize, out: &mut [f32]) {
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
pub fn max_pool(x: &[f32], h: usize, w: usize, out: &mut [f32]) {
    let (j, i, channel) = grid_3d();
    let (oh, ow) = (h / 2, w / 2);
    if i < oh && j < ow {
        let at = (channel * h + 2 * i) * w + 2 * j;
        out[(channel * oh + i) * ow + j] = x[at].max(x[at + 1]).max(x[at + w]).max(x[at + w + 1]);
    }
}

/// Rodinia's particle filter: each particle finds its index by the running sum of weights.
#[gpu_kernel]
pub fn particle_resample(x: &[f32], y: &[f32], sums: &[f32], u: &[f32], new_x: &mut [f32], new_y: &mut [f32]) {
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
#[expect(clippy::too_many_arguments, reason = "as in Rodinia")]
pub fn streamcluster_gain(
    points: &[f32],
    weights: &[f32],
    costs: &[f32],
    assigned: &[u32],
    dim: usize,
    x: usize,
    k: usize,
    lower: &mut [f32],
    switch: &mut [u8],
) {
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
pub fn lava_md(positions: &[f32], charges: &[f32], neighbors: &[u32], per_box: usize, force: &mut [f32]) {
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
pub fn heartwall_correlation(image: &[f32], columns: usize, template: &[f32], size: usize, at: &[u32], scores: &mut [f32]) {
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

fn sum(products: impl IntoIterator<Item = f32>) -> f32 {
    products.into_iter().fold(0.0, |sum, product| sum + product)
}

fn bodies_attract(bench: &Bench) {
    let n = 21;
    let (x, y, mass) = (whole(n), positive(n), positive(n));
    let (mut ax, mut ay) = (vec![0.0; n], vec![0.0; n]);
    launch!(bench, nbody_tiled(&x, &y, &mass, &mut ax, &mut ay), 3, TILE as u32);
    for i in 0..n {
        let (mut fx, mut fy) = (0.0, 0.0);
        for k in 0..n {
            let (dx, dy) = (x[k] - x[i], y[k] - y[i]);
            let r = (dx * dx + dy * dy + 0.01).sqrt();
            (fx, fy) = (fx + mass[k] / r.powi(3) * dx, fy + mass[k] / r.powi(3) * dy);
        }
        assert_close(&[ax[i], ay[i]], &[fx, fy]);
    }

    let (boxes, per_box) = (3, 2);
    let (positions, charges, neighbors) = (positive(12), whole(12), below(3, boxes * per_box));
    let mut force = vec![1.0; 12];
    launch!(bench, lava_md(&positions, &charges, &neighbors, per_box, &mut force), boxes as u32, PER_BOX as u32);
    let expected = (0..12).map(|i| {
        let boxes = neighbors[i / PER_BOX * per_box..][..per_box].iter();
        let others = boxes.flat_map(|other| (0..PER_BOX).map(move |j| *other as usize * PER_BOX + j));
        1.0 + sum(others.map(|j| charges[j] * (-(positions[i] - positions[j]).powi(2)).exp()))
    });
    assert_close(&force, &expected.collect::<Vec<_>>());
}

fn signals_are_transformed(bench: &Bench) {
    let n = 32;
    let (x, mut re, mut im) = (whole(n), whole(n), vec![0.0; n]);
    let (mut other_re, mut other_im) = (vec![0.0; n], vec![0.0; n]);
    let mut m = 1;
    while m < n {
        launch!(bench, fft_stockham(&re, &im, m, n / 2, &mut other_re, &mut other_im), 1, 16);
        (re, other_re, im, other_im) = (other_re, re, other_im, im);
        m *= 2;
    }
    for f in 0..n {
        let angle = |i: usize| -2.0 * std::f64::consts::PI * (i * f % n) as f64 / n as f64;
        let expected = |part: fn(f64) -> f64| (0..n).map(|i| f64::from(x[i]) * part(angle(i))).sum::<f64>();
        assert!((f64::from(re[f]) - expected(f64::cos)).abs() < 1e-3 && (f64::from(im[f]) - expected(f64::sin)).abs() < 1e-3);
    }

    let expected: Vec<f32> = (0..32u32).map(|i| x[(i.reverse_bits() >> 27) as usize]).collect();
    let (mut exchanged, mut gathered) = (x.clone(), vec![0.0; n]);
    launch!(bench, fft_bit_reversal(&mut exchanged, 5), 2, 16);
    launch!(bench, fft_bit_reversal_gather(&x, 5, &mut gathered), 2, 16);
    assert_same(&exchanged, &expected);
    assert_same(&gathered, &expected);

    let (w, h, x, cosines) = (11, 8, whole(88), whole(64));
    let mut out = vec![0.0; w * h];
    launch!(bench, dct_8x8(&x, &cosines, w, h, &mut out), (2, 1), (8, 8));
    let expected = (0..w * h).map(|i| {
        let (u, v, first) = (i % w % 8, i / w, i % w / 8 * 8);
        sum((0..8)
            .flat_map(|k| (first..w.min(first + 8)).map(move |j| (k, j)))
            .map(|(k, j)| x[k * w + j] * cosines[u * 8 + j - first] * cosines[v * 8 + k]))
    });
    assert_close(&out, &expected.collect::<Vec<_>>());
}

fn points_are_clustered(bench: &Bench) {
    let vectors = |x: Vec<f32>| x.chunks(4).map(|x| [x[0], x[1], x[2], x[3]]).collect::<Vec<_>>();
    let (points, mut centroids) = (vectors(whole(120)), vectors(positive(12)));
    let mut labels = vec![0; 30];
    launch!(bench, kmeans_assign(&points, &centroids, &mut labels), 1, 32);
    for (point, label) in points.iter().zip(&labels) {
        let distance = |k: usize| (0..4).map(|c| (f64::from(point[c]) - f64::from(centroids[k][c])).powi(2)).sum::<f64>();
        assert!((0..3).all(|k| distance(*label as usize) < distance(k) + 1e-3));
    }
    launch!(bench, kmeans_update(&points, &labels, &mut centroids), 3, 4);
    for (k, centroid) in centroids.iter().enumerate() {
        let of_cluster: Vec<_> = points.iter().zip(&labels).filter(|(_, label)| **label as usize == k).map(|(point, _)| point).collect();
        for (c, centroid) in centroid.iter().enumerate() {
            assert_same(&[*centroid], &[sum(of_cluster.iter().map(|point| point[c])) / of_cluster.len() as f32]);
        }
    }
}

fn networks_learn(bench: &Bench) {
    let (hidden, input) = (5, whole(33));
    let mut sums = vec![0.0; 2 * hidden];
    let weights = whole(32 * hidden);
    launch!(bench, backprop_forward(&input, &weights, hidden, &mut sums), (1, 2), (16, 16));
    let expected = (0..2 * hidden).map(|i| sum((i / hidden * 16..).take(16).map(|row| input[row] * weights[row * hidden + i % hidden])));
    assert_close(&sums, &expected.collect::<Vec<_>>());

    let (delta, old) = (whole(hidden + 1), whole(33 * (hidden + 1)));
    let (mut weights, mut changes) = (vec![1.0; old.len()], old.clone());
    launch!(bench, backprop_adjust(&delta, &input, hidden, &mut weights, &mut changes), (1, 2), (16, 16));
    let change = |i: usize| 0.3 * delta[i % (hidden + 1)] * input[i / (hidden + 1)] + 0.3 * old[i];
    let is_weight = |i: usize| i > hidden && !i.is_multiple_of(hidden + 1);
    assert_close(&changes, &(0..old.len()).map(|i| if is_weight(i) { change(i) } else { old[i] }).collect::<Vec<_>>());
    assert_close(&weights, &(0..old.len()).map(|i| if is_weight(i) { 1.0 + change(i) } else { 1.0 }).collect::<Vec<_>>());

    let (length, width, heads) = (7, 4, 3);
    let (q, k) = (whole(84), whole(90)[6..].to_vec());
    let mut scores = vec![0.0; length * length * heads];
    launch!(bench, attention_scores(&q, &k, length, width, heads, &mut scores), (2, 2, 2), (4, 4, 2));
    let score = |i: usize| {
        let (column, row, head) = (i % length, i / length % length, i / length / length);
        let product = |d: usize| q[(head * length + row) * width + d] * k[(head * length + column) * width + d];
        if column <= row { sum((0..width).map(product)) / 2.0 } else { f32::NEG_INFINITY }
    };
    assert_same(&scores, &(0..scores.len()).map(score).collect::<Vec<_>>());
}

fn patches_are_gathered(bench: &Bench) {
    let (channels, h, w, k) = (2, 6, 7, 3);
    let x = whole(channels * h * w);
    let (oh, ow) = (h - k + 1, w - k + 1);
    let mut out = vec![0.0; channels * k * k * oh * ow];
    launch!(bench, im2col(&x, channels, h, w, k, &mut out), 2, 32);
    let patch = |i: usize| {
        let (column, row, dx, dy, channel) = (i % ow, i / ow % oh, i / ow / oh % k, i / ow / oh / k % k, i / ow / oh / k / k);
        x[(channel * h + row + dy) * w + column + dx]
    };
    assert_same(&out, &(0..out.len()).map(patch).collect::<Vec<_>>());

    let mut pooled = vec![0.0; channels * 3 * 3];
    launch!(bench, max_pool(&x, h, w, &mut pooled), (1, 1, 2), (4, 4));
    let most = |i: usize| {
        let at = (i / 9 * h + 2 * (i / 3 % 3)) * w + 2 * (i % 3);
        [at, at + 1, at + w, at + w + 1].iter().map(|i| x[*i]).fold(f32::NEG_INFINITY, f32::max)
    };
    assert_same(&pooled, &(0..18).map(most).collect::<Vec<_>>());
}

fn particles_are_weighted(bench: &Bench) {
    let n = 30;
    let (x, y) = (whole(n), positive(n));
    let sums: Vec<f32> = (0..n).map(|i| (i * i) as f32).collect();
    let u: Vec<f32> = below(900, n).into_iter().map(|number| number as f32).collect();
    let (mut new_x, mut new_y) = (vec![0.0; n], vec![0.0; n]);
    launch!(bench, particle_resample(&x, &y, &sums, &u, &mut new_x, &mut new_y), 2, 16);
    let index = |u: &f32| sums.iter().position(|sum| sum >= u).unwrap_or(n - 1);
    assert_same(&new_x, &u.iter().map(|u| x[index(u)]).collect::<Vec<_>>());
    assert_same(&new_y, &u.iter().map(|u| y[index(u)]).collect::<Vec<_>>());

    let (dim, center, k) = (3, 4, 5);
    let (points, weights, costs) = (whole(dim * n), vec![2.0; n], (0..n).map(|i| (4 * i) as f32).collect::<Vec<_>>());
    let assigned = below(5, n);
    let (mut lower, mut switch) = (vec![0.0; n * (k + 1)], vec![0; n]);
    launch!(bench, streamcluster_gain(&points, &weights, &costs, &assigned, dim, center, k, &mut lower, &mut switch), 2, 16);
    for i in 0..n {
        let cost = 2.0 * sum((0..dim).map(|c| (points[c * n + i] - points[c * n + center]).powi(2)));
        let switches = cost < costs[i];
        let place = if switches { k } else { assigned[i] as usize };
        assert_same(&switch[i..][..1], &[u8::from(switches)]);
        let gain = 0.0 + if switches { cost - costs[i] } else { costs[i] - cost };
        assert_same(&lower[i * (k + 1)..][..k + 1], &(0..k + 1).map(|j| if j == place { gain } else { 0.0 }).collect::<Vec<_>>());
    }
}

fn frames_are_correlated(bench: &Bench) {
    let (columns, size, image, template) = (20, 3, whole(400), whole(18));
    let at = vec![2, 3, 10, 11];
    let mut scores = vec![0.0; 18];
    launch!(bench, heartwall_correlation(&image, columns, &template, size, &at, &mut scores), 2, 256);
    let score = |i: usize| {
        let (point, row, column) = (i / 9, at[i / 9 * 2] as usize + i % 9 / 3, at[i / 9 * 2 + 1] as usize + i % 3);
        sum((0..9).map(|k| template[point * 9 + k] * image[(row + k / 3) * columns + column + k % 3]))
    };
    assert_close(&scores, &(0..18).map(score).collect::<Vec<_>>());
}
