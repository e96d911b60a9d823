//! Sparse matrices and graphs.

use std::sync::atomic::Ordering::{AcqRel, Relaxed};
use std::sync::atomic::{AtomicU32, AtomicU64};

use gpu_runtime::prelude::*;

use crate::bench::{Bench, assert_close, assert_same, below, bytes_below, positive, whole};
use crate::{cases, launch};

cases![
    sparse_rows_are_multiplied,
    nodes_are_found,
    particles_are_sorted_into_cells,
    the_last_block_sums,
    curves_are_crossed,
    paths_are_found,
    components_are_found,
    pages_are_ranked
];

/// A thread per row.
#[gpu_kernel]
pub fn csr_scalar(rows: &[u32], columns: &[u32], values: &[f32], x: &[f32], y: &mut [f32]) {
    let row = grid_1d();
    if row < y.len() {
        let mut sum = 0.0;
        for k in rows[row] as usize..rows[row + 1] as usize {
            sum += values[k] * x[columns[k] as usize];
        }
        y[row] = sum;
    }
}

/// A warp per row, in blocks of any number of warps.
#[gpu_kernel]
pub fn csr_vector(rows: &[u32], columns: &[u32], values: &[f32], x: &[f32], y: &mut [f32]) {
    let row = grid_1d() / 32;
    let lane = thread_idx().x % 32;
    if row < y.len() {
        let mut sum = 0.0;
        for k in (rows[row] as usize + lane..rows[row + 1] as usize).step_by(32) {
            sum += values[k] * x[columns[k] as usize];
        }
        let sum = warp_sum(sum);
        if lane == 0 {
            y[row] = sum;
        }
    }
}

#[gpu_kernel]
pub fn ell(columns: &[u32], values: &[f32], width: usize, x: &[f32], y: &mut [f32]) {
    let (row, n) = (grid_1d(), y.len());
    if row < n {
        let mut sum = 0.0;
        for k in 0..width {
            sum += values[k * n + row] * x[columns[k * n + row] as usize];
        }
        y[row] = sum;
    }
}

#[gpu_kernel]
pub fn coo(rows: &[u32], columns: &[u32], values: &[f32], x: &[f32], y: &[AtomicF32]) {
    for k in grid_stride(values.len()) {
        y[rows[k] as usize].fetch_add(values[k] * x[columns[k] as usize], Relaxed);
    }
}

/// A level of a breadth-first search: new nodes draw a place in the next frontier.
#[gpu_kernel]
pub fn bfs_frontier(starts: &[u32], edges: &[u32], frontier: &[u32], seen: &[AtomicU32], length: &[AtomicU32], next: &mut [u32]) {
    let i = grid_1d();
    if i < frontier.len() {
        let node = frontier[i] as usize;
        for e in starts[node] as usize..starts[node + 1] as usize {
            let neighbor = edges[e];
            if seen[neighbor as usize].swap(1, Relaxed) == 0 {
                let place = length[0].fetch_add(1, Relaxed) as usize;
                next[place] = neighbor;
            }
        }
    }
}

/// The same, with an edge for each thread and a counter that no graph exhausts.
#[gpu_kernel]
pub fn bfs_edges(from: &[u32], to: &[u32], level: &[AtomicU32], now: u32, length: &[AtomicU64], next: &mut [u32]) {
    for e in grid_stride(from.len()) {
        let node = to[e] as usize;
        if level[from[e] as usize].load(Relaxed) == now && level[node].swap(now + 1, Relaxed) == u32::MAX {
            let place = length[0].fetch_add(1, Relaxed) as usize;
            next[place] = to[e];
        }
    }
}

/// Cells of a grid, each with room for some particles.
#[gpu_kernel]
pub fn cell_lists(x: &[f32], y: &[f32], width: usize, room: usize, counts: &[AtomicU32], cells: &mut [u32]) {
    let i = grid_1d();
    if i < x.len() {
        let cell = y[i] as usize * width + x[i] as usize;
        let slot = counts[cell].fetch_add(1, Relaxed) as usize;
        if slot < room {
            cells[cell * room + slot] = i as u32;
        }
    }
}

/// A bucket for each key.
#[gpu_kernel]
pub fn buckets(keys: &[u8], values: &[f32], room: usize, counts: &[AtomicU32], out: &mut [f32]) {
    let i = grid_1d();
    if i < keys.len() {
        let key = keys[i] as usize;
        let slot = counts[key].fetch_add(1, Relaxed) as usize;
        if slot < room {
            out[key * room + slot] = values[i];
        }
    }
}

/// The last block of a reduction adds up what the others have left.
#[gpu_kernel(block = 128)]
pub fn reduce_last_block(x: &[u32], parts: &[AtomicU32], done: &[AtomicU32], total: &mut [u32]) {
    let own = warp_sum(x[grid_1d()]);
    if lane_id() == 0 {
        parts[block_idx().x].fetch_add(own, Relaxed);
    }
    sync_threads();
    if thread_idx().x == 0 && done[0].fetch_add(1, AcqRel) as usize == grid_dim().x - 1 {
        let mut sum = 0;
        for b in 0..grid_dim().x {
            sum += parts[b].load(Relaxed);
        }
        total[0] = sum;
    }
}

/// Up to three points where a curve crosses a cell of a grid: marching squares.
#[gpu_kernel]
pub fn marching_squares(field: &[f32], width: usize, height: usize, count: &[AtomicU32], points: &mut [[f32; 2]]) {
    let (column, row) = grid_2d();
    if column + 1 < width && row + 1 < height {
        let at = row * width + column;
        if (field[at] > 0.0) != (field[at + 1] > 0.0) {
            let first = count[0].fetch_add(2, Relaxed) as usize;
            points[first] = [column as f32, row as f32];
            points[first + 1] = [column as f32 + 1.0, row as f32];
        }
    }
}

/// Rodinia's bfs: marks the neighbors of a level.
#[gpu_kernel]
pub fn bfs_levels(starts: &[u32], edges: &[u32], level: u32, levels: &[AtomicU32], more: &[AtomicU32]) {
    let node = grid_1d();
    if node < levels.len() && levels[node].load(Relaxed) == level {
        for e in starts[node] as usize..starts[node + 1] as usize {
            if levels[edges[e] as usize].load(Relaxed) == u32::MAX {
                levels[edges[e] as usize].store(level + 1, Relaxed);
                more[0].store(1, Relaxed);
            }
        }
    }
}

/// Row and column `k` do not change in step `k`.
#[gpu_kernel]
pub fn floyd_warshall(distance: &mut [f32], n: usize, k: usize) {
    let (j, i) = grid_2d();
    if k < n && i < n && j < n && i != k && j != k {
        let through = distance[i * n + k] + distance[k * n + j];
        if through < distance[i * n + j] {
            distance[i * n + j] = through;
        }
    }
}

#[gpu_kernel]
pub fn union_find(edges: &[u32], parents: &[AtomicU32]) {
    let e = grid_1d();
    if 2 * e + 1 < edges.len() {
        let (mut a, mut b) = (edges[2 * e], edges[2 * e + 1]);
        while a != b {
            if a < b {
                (a, b) = (b, a);
            }
            let old = parents[a as usize].fetch_min(b, Relaxed);
            a = old;
        }
    }
}

#[gpu_kernel]
pub fn union_find_flatten(parents: &[AtomicU32], labels: &mut [u32]) {
    let i = grid_1d();
    if i < labels.len() {
        let mut root = i as u32;
        while parents[root as usize].load(Relaxed) != root {
            root = parents[root as usize].load(Relaxed);
        }
        labels[i] = root;
    }
}

#[gpu_kernel]
pub fn page_rank(starts: &[u32], sources: &[u32], degrees: &[u32], rank: &[f32], damping: f32, next: &mut [f32]) {
    let node = grid_1d();
    if node < next.len() {
        let mut sum = 0.0;
        for e in starts[node] as usize..starts[node + 1] as usize {
            let source = sources[e] as usize;
            sum += rank[source] / degrees[source] as f32;
        }
        next[node] = (1.0 - damping) / next.len() as f32 + damping * sum;
    }
}

const NODES: usize = 20;

/// A graph: where the edges of each node start, and where each edge leads to. Node 0 leads to others; some nodes are not reached.
fn graph() -> (Vec<u32>, Vec<u32>) {
    let mut starts = vec![0];
    for degree in below(4, NODES) {
        starts.push(starts.last().unwrap() + degree + u32::from(starts.len() == 1));
    }
    let edges = below(NODES as u32, *starts.last().unwrap() as usize);
    (starts, edges)
}

/// The nodes of edges.
fn sources(starts: &[u32]) -> Vec<u32> {
    (0..NODES).flat_map(|node| (starts[node]..starts[node + 1]).map(move |_| node as u32)).collect()
}

fn sorted<T: PartialOrd + Clone>(x: &[T]) -> Vec<T> {
    let mut x = x.to_vec();
    x.sort_by(|a, b| a.partial_cmp(b).unwrap());
    x
}

fn sparse_rows_are_multiplied(bench: &Bench) {
    let (starts, columns) = graph();
    let (rows, values, x) = (sources(&starts), whole(columns.len()), whole(NODES));
    let mut expected = [0.0; NODES];
    for (k, row) in rows.iter().enumerate() {
        expected[*row as usize] += values[k] * x[columns[k] as usize];
    }
    let [mut scalar, mut vector, mut by_elements, mut padded] = [(); 4].map(|()| vec![0.0; NODES]);
    launch!(bench, csr_scalar(&starts, &columns, &values, &x, &mut scalar), 2, 16);
    launch!(bench, csr_vector(&starts, &columns, &values, &x, &mut vector), 10, 64);
    launch!(bench, coo(&rows, &columns, &values, &x, &mut by_elements), 2, 16);
    let width = 4;
    let (mut wide_columns, mut wide_values) = (vec![0; width * NODES], vec![0.0; width * NODES]);
    for (k, row) in rows.iter().enumerate() {
        let place = (k - starts[*row as usize] as usize) * NODES + *row as usize;
        (wide_columns[place], wide_values[place]) = (columns[k], values[k]);
    }
    launch!(bench, ell(&wide_columns, &wide_values, width, &x, &mut padded), 2, 16);
    // Adding zero makes a zero of either sign the same.
    for y in [scalar, vector, by_elements, padded] {
        assert_same(&y.iter().map(|y| y + 0.0).collect::<Vec<_>>(), &expected.iter().map(|y| y + 0.0).collect::<Vec<_>>());
    }
}

fn nodes_are_found(bench: &Bench) {
    let (starts, edges) = graph();
    let neighbors = |node: usize| edges[starts[node] as usize..starts[node + 1] as usize].iter().copied();
    let mut expected = vec![u32::MAX; NODES];
    expected[0] = 0;
    let mut levels = vec![vec![0u32]];
    while !levels.last().unwrap().is_empty() {
        let mut next: Vec<u32> = levels.last().unwrap().iter().flat_map(|node| neighbors(*node as usize)).collect();
        next.retain(|node| {
            let level = &mut expected[*node as usize];
            let is_new = *level == u32::MAX;
            *level = (*level).min(levels.len() as u32);
            is_new
        });
        levels.push(next);
    }

    let start = [vec![0], vec![u32::MAX; NODES - 1]].concat();
    let mut by_nodes = start.clone();
    for level in 0.. {
        let mut more = vec![0];
        launch!(bench, bfs_levels(&starts, &edges, level, &mut by_nodes, &mut more), 2, 16);
        if more[0] == 0 {
            break;
        }
    }
    assert_same(&by_nodes, &expected);

    let from = sources(&starts);
    let (mut by_edges, mut seen) = (start, [vec![1], vec![0; NODES - 1]].concat());
    for (level, frontier) in levels.iter().enumerate().take(levels.len() - 1) {
        let (mut length, mut long_length) = (vec![0], vec![0]);
        let (mut next, mut next_by_edges) = (vec![0; NODES], vec![0; NODES]);
        launch!(bench, bfs_frontier(&starts, &edges, frontier, &mut seen, &mut length, &mut next), 1, 32);
        launch!(bench, bfs_edges(&from, &edges, &mut by_edges, level as u32, &mut long_length, &mut next_by_edges), 2, 16);
        assert_same(&sorted(&next[..length[0] as usize]), &sorted(&levels[level + 1]));
        assert_same(&sorted(&next_by_edges[..long_length[0] as usize]), &sorted(&levels[level + 1]));
    }
    assert_same(&by_edges, &expected);
}

/// The numbers of the elements in each of 16 groups, sorted.
fn groups(count: usize, group: impl Fn(usize) -> usize) -> Vec<Vec<u32>> {
    (0..16).map(|wanted| (0..count).filter(|i| group(*i) == wanted).map(|i| i as u32).collect()).collect()
}

fn particles_are_sorted_into_cells(bench: &Bench) {
    let coordinates = below(4096, 50);
    let x: Vec<f32> = coordinates.iter().map(|number| (number % 64) as f32 / 16.0).collect();
    let y: Vec<f32> = coordinates.iter().map(|number| (number / 64) as f32 / 16.0).collect();
    let room = 50;
    let (mut counts, mut cells) = (vec![0; 16], vec![0; 16 * room]);
    launch!(bench, cell_lists(&x, &y, 4, room, &mut counts, &mut cells), 2, 32);
    for (cell, expected) in groups(50, |i| y[i] as usize * 4 + x[i] as usize).iter().enumerate() {
        assert_same(&sorted(&cells[cell * room..][..counts[cell] as usize]), expected);
    }
    let (keys, values) = (bytes_below(16, 50), (0..50).map(|i| i as f32).collect());
    let (mut counts, mut out) = (vec![0; 16], vec![0.0; 16 * room]);
    launch!(bench, buckets(&keys, &values, room, &mut counts, &mut out), 2, 32);
    for (key, expected) in groups(50, |i| keys[i].into()).iter().enumerate() {
        assert_same(&sorted(&out[key * room..][..counts[key] as usize]), &expected.iter().map(|i| *i as f32).collect::<Vec<_>>());
    }
}

fn the_last_block_sums(bench: &Bench) {
    let x = below(100, 384);
    let (mut parts, mut done, mut total) = (vec![0; 3], vec![0], vec![0]);
    launch!(bench, reduce_last_block(&x, &mut parts, &mut done, &mut total), 3, 128);
    assert_same(&total, &[x.iter().sum()]);
}

fn curves_are_crossed(bench: &Bench) {
    let (width, height, field) = (9, 7, whole(63));
    let (mut count, mut points) = (vec![0], vec![[0.0; 2]; 126]);
    launch!(bench, marching_squares(&field, width, height, &mut count, &mut points), (2, 1), (8, 8));
    let mut expected = Vec::new();
    for at in (0..width * (height - 1)).filter(|at| at % width + 1 < width) {
        if (field[at] > 0.0) != (field[at + 1] > 0.0) {
            let [column, row] = [at % width, at / width].map(|number| number as f32);
            expected.extend([[column, row], [column + 1.0, row]]);
        }
    }
    assert_eq!(sorted(&points[..count[0] as usize]), sorted(&expected));
}

fn paths_are_found(bench: &Bench) {
    let n = 9;
    let mut distance: Vec<f32> = below(40, n * n).into_iter().map(|length| (length + 1) as f32).collect();
    let mut expected = distance.clone();
    for k in 0..n {
        launch!(bench, floyd_warshall(&mut distance, n, k), (2, 2), (8, 8));
        let before = expected.clone();
        for (i, distance) in expected.iter_mut().enumerate() {
            if i / n != k && i % n != k {
                *distance = distance.min(before[i / n * n + k] + before[k * n + i % n]);
            }
        }
    }
    assert_same(&distance, &expected);
}

fn components_are_found(bench: &Bench) {
    let edges = below(40, 50);
    let mut parents: Vec<u32> = (0..40).collect();
    let mut labels = vec![0; 40];
    launch!(bench, union_find(&edges, &mut parents), 1, 32);
    launch!(bench, union_find_flatten(&mut parents, &mut labels), 2, 32);
    let mut expected: Vec<u32> = (0..40).collect();
    for _ in 0..40 {
        for pair in edges.chunks(2) {
            let least = expected[pair[0] as usize].min(expected[pair[1] as usize]);
            expected[pair[0] as usize] = least;
            expected[pair[1] as usize] = least;
        }
    }
    assert_same(&labels, &expected);
}

fn pages_are_ranked(bench: &Bench) {
    let (starts, sources) = graph();
    let (rank, degrees) = (positive(NODES), below(5, NODES).into_iter().map(|degree| degree + 1).collect::<Vec<_>>());
    let mut next = vec![0.0; NODES];
    launch!(bench, page_rank(&starts, &sources, &degrees, &rank, 0.85, &mut next), 2, 16);
    let expected = starts.windows(2).map(|ends| {
        let edges = &sources[ends[0] as usize..ends[1] as usize];
        0.15 / NODES as f32 + 0.85 * edges.iter().map(|node| rank[*node as usize] / degrees[*node as usize] as f32).sum::<f32>()
    });
    assert_close(&next, &expected.collect::<Vec<_>>());
}
