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

/// The same, with an edge for each thread and a counter that no graph exhausts.
#[gpu_kernel]
fn bfs_edges(from: &[u32], to: &[u32], level: &[AtomicU32], now: u32, length: &[AtomicU64], next: &mut [u32]) {
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
fn cell_lists(x: &[f32], y: &[f32], width: usize, room: usize, counts: &[AtomicU32], cells: &mut [u32]) {
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
fn buckets(keys: &[u8], values: &[f32], room: usize, counts: &[AtomicU32], out: &mut [f32]) {
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
fn reduce_last_block(x: &[u32], parts: &[AtomicU32], done: &[AtomicU32], total: &mut [u32]) {
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
fn marching_squares(field: &[f32], width: usize, height: usize, count: &[AtomicU32], points: &mut [[f32; 2]]) {
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
