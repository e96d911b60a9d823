//! Reductions, scans, histograms, compaction.

#[gpu_kernel(block = BLOCK)]
fn reduce_tree(x: &[f32], out: &mut [f32]) {
    let mut tile = shared::<[f32; BLOCK]>();
    let (i, t) = (grid_1d(), thread_idx().x);
    tile[t] = if i < x.len() { x[i] } else { 0.0 };
    sync_threads();
    let mut s = BLOCK / 2;
    while s > 0 {
        if t < s {
            tile[t] += tile[t + s];
        }
        sync_threads();
        s /= 2;
    }
    if t == 0 {
        out[block_idx().x] = tile[0];
    }
}

/// Each warp by shuffles, then the warps' sums by the first warp.
#[gpu_kernel(block = 256)]
fn reduce_shuffles(x: &[f32], out: &mut [f32]) {
    let mut sums = shared::<[f32; 8]>();
    let mut sum = 0.0;
    for i in grid_stride(x.len()) {
        sum += x[i];
    }
    let sum = warp_sum(sum);
    if lane_id() == 0 {
        sums[warp_id()] = sum;
    }
    sync_threads();
    if warp_id() == 0 {
        let total = warp_sum(if lane_id() < 8 { sums[lane_id()] } else { 0.0 });
        if lane_id() == 0 {
            out[block_idx().x] = total;
        }
    }
}

/// As in CUDA by Example: two elements per thread at first.
#[gpu_kernel(block = 128)]
fn reduce_two_per_thread(x: &[f32], out: &mut [f32]) {
    let mut tile = shared::<[f32; 128]>();
    let t = thread_idx().x;
    let i = block_idx().x * 2 * block_dim().x + t;
    let at = |i: usize| if i < x.len() { x[i] } else { 0.0 };
    tile[t] = at(i) + at(i + block_dim().x);
    sync_threads();
    let mut s = 64;
    while s > 0 {
        if t < s {
            tile[t] += tile[t + s];
        }
        sync_threads();
        s >>= 1;
    }
    if t == 0 {
        out[block_idx().x] = tile[0];
    }
}

#[gpu_kernel(block = 256)]
fn dot_product(x: &[f32], y: &[f32], sum: &[AtomicF32]) {
    let mut own = 0.0;
    for i in grid_stride(x.len()) {
        own += x[i] * y[i];
    }
    let own = warp_sum(own);
    if lane_id() == 0 {
        sum[0].fetch_add(own, Relaxed);
    }
}

/// A warp per row.
#[gpu_kernel(block = 256)]
fn reduce_rows_by_warps(x: &[f32], rows: usize, columns: usize, out: &mut [f32]) {
    let row = grid_1d() / 32;
    let lane = lane_id();
    if row < rows {
        let mut sum = 0.0;
        for j in (lane..columns).step_by(32) {
            sum += x[row * columns + j];
        }
        let sum = warp_sum(sum);
        if lane == 0 {
            out[row] = sum;
        }
    }
}

#[gpu_kernel(block = 32)]
fn scan_hillis_steele(x: &[i32], out: &mut [i32]) {
    let mut sums = shared::<[[i32; 32]; 2]>();
    let (i, t) = (grid_1d(), thread_idx().x);
    let mut from = 0;
    sums[from][t] = if i < x.len() { x[i] } else { 0 };
    sync_threads();
    let mut distance = 1;
    while distance < 32 {
        let to = 1 - from;
        sums[to][t] = if t >= distance { sums[from][t - distance] + sums[from][t] } else { sums[from][t] };
        sync_threads();
        from = to;
        distance <<= 1;
    }
    if i < out.len() {
        out[i] = sums[from][t];
    }
}

/// Two elements per thread: up and down the tree.
#[gpu_kernel(block = THREADS)]
fn scan_blelloch(x: &[i32], sums: &mut [i32], out: &mut [i32]) {
    let mut tile = shared::<[i32; 2 * THREADS]>();
    let t = thread_idx().x;
    let base = block_idx().x * 2 * THREADS;
    tile[t] = x[base + t];
    tile[t + THREADS] = x[base + THREADS + t];
    let (mut d, mut offset) = (THREADS, 1);
    while d > 0 {
        sync_threads();
        if t < d {
            tile[offset * (2 * t + 2) - 1] += tile[offset * (2 * t + 1) - 1];
        }
        offset *= 2;
        d /= 2;
    }
    sync_threads();
    if t == 0 {
        sums[block_idx().x] = tile[2 * THREADS - 1];
        tile[2 * THREADS - 1] = 0;
    }
    d = 1;
    while d < 2 * THREADS {
        offset /= 2;
        sync_threads();
        if t < d {
            let (a, b) = (offset * (2 * t + 1) - 1, offset * (2 * t + 2) - 1);
            (tile[a], tile[b]) = (tile[b], tile[a] + tile[b]);
        }
        d *= 2;
    }
    sync_threads();
    out[base + t] = tile[t];
    out[base + THREADS + t] = tile[t + THREADS];
}

/// Decoupled look-back: a block waits for the sum of its predecessor.
#[gpu_kernel(block = 256)]
fn scan_decoupled(x: &[u32], tickets: &[AtomicU32], sums: &[AtomicU32], ready: &[AtomicU32], out: &mut [u32]) {
    let mut block = shared::<[u32; 2]>();
    let t = thread_idx().x;
    if t == 0 {
        block[0] = tickets[0].fetch_add(1, Relaxed);
    }
    sync_threads();
    let tile = block[0] as usize;
    let i = tile * 256 + t;
    let own = if i < x.len() { x[i] } else { 0 };
    let total = sync_threads_count(own > 0);
    if t == 0 {
        let before = if tile > 0 {
            while ready[tile - 1].load(Acquire) == 0 {}
            sums[tile - 1].load(Relaxed)
        } else {
            0
        };
        sums[tile].store(before + total as u32, Relaxed);
        ready[tile].store(1, Release);
        block[1] = before;
    }
    sync_threads();
    if i < out.len() {
        out[i] = block[1] + own;
    }
}

/// The prefix of each warp, by shuffles.
#[gpu_kernel(block = 256)]
fn scan_warps(x: &[i32], out: &mut [i32], warps: &mut [i32]) {
    let i = grid_1d();
    let mut sum = if i < x.len() { x[i] } else { 0 };
    for k in 0..5 {
        let left = warp_shuffle_up(sum, 1 << k);
        if lane_id() >= 1 << k {
            sum += left;
        }
    }
    if i < out.len() {
        out[i] = sum;
    }
    if lane_id() == 31 {
        warps[block_idx().x * 8 + warp_id()] = sum;
    }
}

/// Adds the sums of the blocks before to each block.
#[gpu_kernel]
fn scan_add_sums(sums: &[i32], out: &mut [i32]) {
    let i = grid_1d();
    if block_idx().x > 0 && i < out.len() {
        out[i] += sums[block_idx().x - 1];
    }
}

#[gpu_kernel]
fn histogram_global(x: &[u8], counts: &[AtomicU32]) {
    for i in grid_stride(x.len()) {
        counts[x[i] as usize].fetch_add(1, Relaxed);
    }
}

#[gpu_kernel(block = 256)]
fn histogram_shared(x: &[u8], counts: &[AtomicU32]) {
    let own = shared::<[AtomicU32; 256]>();
    let t = thread_idx().x;
    own[t].store(0, Relaxed);
    sync_threads();
    for i in grid_stride(x.len()) {
        own[x[i] as usize].fetch_add(1, Relaxed);
    }
    sync_threads();
    counts[t].fetch_add(own[t].load(Relaxed), Relaxed);
}

/// A histogram for each thread, in global memory: bins of one thread are `threads` apart.
#[gpu_kernel]
fn histogram_privatized(x: &[u8], threads: usize, counts: &mut [u32]) {
    let t = grid_1d();
    if t < threads {
        for i in (t..x.len()).step_by(threads) {
            counts[(x[i] as usize) * threads + t] += 1;
        }
    }
}

/// The sum over the threads of a privatized histogram.
#[gpu_kernel]
fn histogram_merge(counts: &[u32], threads: usize, bins: usize, out: &mut [u32]) {
    let bin = grid_1d();
    if bin < bins {
        let mut sum = 0;
        for t in 0..threads {
            sum += counts[bin * threads + t];
        }
        out[bin] = sum;
    }
}

/// Stream compaction: each kept element draws a ticket.
#[gpu_kernel]
fn compact_by_tickets(x: &[f32], kept: &[AtomicU32], out: &mut [f32]) {
    let i = grid_1d();
    if i < x.len() && x[i] > 0.0 {
        let place = kept[0].fetch_add(1, Relaxed) as usize;
        if place < out.len() {
            out[place] = x[i];
        }
    }
}

/// Compaction with one atomic per warp.
#[gpu_kernel]
fn compact_by_warps(x: &[f32], kept: &[AtomicU32], out: &mut [f32]) {
    let i = grid_1d();
    let keep = i < x.len() && x[i] > 0.0;
    let votes = warp_ballot(keep);
    let mut first = 0;
    if lane_id() == 0 {
        first = kept[0].fetch_add(votes.count_ones(), Relaxed);
    }
    let first = warp_shuffle(first, 0);
    if keep {
        out[(first + (votes & lane_mask_lt()).count_ones()) as usize] = x[i];
    }
}

/// Softmax of short rows, a warp per row.
#[gpu_kernel(block = 128)]
fn softmax_by_warps(x: &[f32], rows: usize, columns: usize, out: &mut [f32]) {
    let row = block_idx().x * 4 + warp_id();
    if row < rows {
        let mut most = f32::NEG_INFINITY;
        for j in (lane_id()..columns).step_by(32) {
            most = most.max(x[row * columns + j]);
        }
        let most = warp_max(most);
        let mut sum = 0.0;
        for j in (lane_id()..columns).step_by(32) {
            sum += (x[row * columns + j] - most).exp();
        }
        let sum = warp_sum(sum);
        for j in (lane_id()..columns).step_by(32) {
            out[row * columns + j] = (x[row * columns + j] - most).exp() / sum;
        }
    }
}

/// Softmax of long rows, a block per row.
#[gpu_kernel]
fn softmax_by_blocks(x: &[f32], columns: usize, out: &mut [f32]) {
    let (row, t, threads) = (block_idx().x, thread_idx().x, block_dim().x);
    let mut tile = dynamic_shared::<f32>(block_dim().x);
    let mut sum = 0.0;
    for j in (t..columns).step_by(threads) {
        sum += x[row * columns + j].exp();
    }
    tile[t] = sum;
    sync_threads();
    let mut total = 0.0;
    for k in 0..threads {
        total += tile[k];
    }
    for j in (t..columns).step_by(threads) {
        out[row * columns + j] = x[row * columns + j].exp() / total;
    }
}

/// Layer normalization in place, a block per row.
#[gpu_kernel(block = BLOCK)]
fn layer_norm(x: &mut [f32], columns: usize, gain: &[f32]) {
    let mut sums = shared::<[f32; BLOCK]>();
    let (row, t) = (block_idx().x, thread_idx().x);
    let mut sum = 0.0;
    let mut j = t;
    while j < columns {
        sum += x[row * columns + j];
        j += BLOCK;
    }
    sums[t] = sum;
    sync_threads();
    let mut mean = 0.0;
    for k in 0..BLOCK {
        mean += sums[k];
    }
    mean /= columns as f32;
    let mut j = t;
    while j < columns {
        x[row * columns + j] = (x[row * columns + j] - mean) * gain[j];
        j += BLOCK;
    }
}
