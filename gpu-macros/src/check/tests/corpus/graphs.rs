//! Sparse matrices and graphs.

/// A thread per row.
#[gpu_kernel]
fn csr_scalar(rows: &[u32], columns: &[u32], values: &[f32], x: &[f32], y: &mut [f32]) {
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
fn csr_vector(rows: &[u32], columns: &[u32], values: &[f32], x: &[f32], y: &mut [f32]) {
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
fn ell(columns: &[u32], values: &[f32], width: usize, x: &[f32], y: &mut [f32]) {
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
fn coo(rows: &[u32], columns: &[u32], values: &[f32], x: &[f32], y: &[AtomicF32]) {
    for k in grid_stride(values.len()) {
        y[rows[k] as usize].fetch_add(values[k] * x[columns[k] as usize], Relaxed);
    }
}

/// A level of a breadth-first search: new nodes draw a place in the next frontier.
#[gpu_kernel]
fn bfs_frontier(starts: &[u32], edges: &[u32], frontier: &[u32], seen: &[AtomicU32], length: &[AtomicU32], next: &mut [u32]) {
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

/// Rodinia's bfs: marks the neighbors of a level.
#[gpu_kernel]
fn bfs_levels(starts: &[u32], edges: &[u32], level: u32, levels: &[AtomicU32], more: &[AtomicU32]) {
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
fn floyd_warshall(distance: &mut [f32], n: usize, k: usize) {
    let (j, i) = grid_2d();
    if k < n && i < n && j < n && i != k && j != k {
        let through = distance[i * n + k] + distance[k * n + j];
        if through < distance[i * n + j] {
            distance[i * n + j] = through;
        }
    }
}

#[gpu_kernel]
fn union_find(edges: &[u32], parents: &[AtomicU32]) {
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
fn union_find_flatten(parents: &[AtomicU32], labels: &mut [u32]) {
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
fn page_rank(starts: &[u32], sources: &[u32], degrees: &[u32], rank: &[f32], damping: f32, next: &mut [f32]) {
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
