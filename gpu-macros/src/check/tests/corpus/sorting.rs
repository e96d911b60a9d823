//! Sorting, merging, searching, hashing.

/// A step of a bitonic sort in global memory: the thread of the lower element exchanges both.
#[gpu_kernel]
fn bitonic_step(x: &mut [u32], stage: usize, distance: usize) {
    let t = grid_1d();
    let i = 2 * distance * (t / distance) + t % distance;
    if i + distance < x.len() {
        let (a, b) = (x[i], x[i + distance]);
        if (a > b) == (i & stage == 0) {
            x[i] = b;
            x[i + distance] = a;
        }
    }
}

/// The same as it is mostly written: the partner by exclusive or.
#[gpu_kernel]
fn bitonic_step_xor(x: &mut [u32], stage: usize, distance: usize) {
    let i = grid_1d();
    let partner = i ^ distance;
    if partner > i && partner < x.len() {
        let (a, b) = (x[i], x[partner]);
        if (a > b) == (i & stage == 0) {
            x[i] = b;
            x[partner] = a;
        }
    }
}

/// A whole block in shared memory.
#[gpu_kernel(block = 128)]
fn bitonic_block(x: &mut [u32]) {
    let mut tile = shared::<[u32; 256]>();
    let t = thread_idx().x;
    let base = block_idx().x * 256;
    tile[t] = x[base + t];
    tile[t + 128] = x[base + t + 128];
    let mut stage = 2;
    while stage <= 256 {
        let mut distance = stage / 2;
        while distance > 0 {
            sync_threads();
            let i = 2 * t - t % distance;
            let (a, b) = (tile[i], tile[i + distance]);
            if (a > b) == (i & stage == 0) {
                tile[i] = b;
                tile[i + distance] = a;
            }
            distance /= 2;
        }
        stage *= 2;
    }
    sync_threads();
    x[base + t] = tile[t];
    x[base + t + 128] = tile[t + 128];
}

#[gpu_kernel]
fn odd_even_step(x: &mut [i32], odd: u32) {
    let i = 2 * grid_1d() + odd as usize;
    if i + 1 < x.len() && x[i] > x[i + 1] {
        (x[i], x[i + 1]) = (x[i + 1], x[i]);
    }
}

/// Each element finds its place in the merged run by binary search in the other run.
#[gpu_kernel]
fn merge_by_rank(a: &[u32], b: &[u32], out: &mut [u32]) {
    let i = grid_1d();
    if i < a.len() {
        let (mut low, mut high) = (0, b.len());
        while low < high {
            let middle = (low + high) / 2;
            if b[middle] < a[i] { low = middle + 1 } else { high = middle }
        }
        out[i + low] = a[i];
    }
}

/// Merge path: a thread merges a stretch of the result.
#[gpu_kernel]
fn merge_path(a: &[u32], b: &[u32], per_thread: usize, out: &mut [u32]) {
    let first = grid_1d() * per_thread;
    let (mut low, mut high) = (first.saturating_sub(b.len()), first.min(a.len()));
    while low < high {
        let middle = (low + high) / 2;
        if a[middle] < b[first - middle - 1] { low = middle + 1 } else { high = middle }
    }
    let (mut i, mut j) = (low, first - low);
    for k in 0..per_thread {
        if first + k < out.len() {
            let from_a = j >= b.len() || i < a.len() && a[i] <= b[j];
            out[first + k] = if from_a { a[i] } else { b[j] };
            if from_a { i += 1 } else { j += 1 }
        }
    }
}

/// Radix sort: the counts of a digit per block, column by column.
#[gpu_kernel(block = 256)]
fn radix_count(keys: &[u32], shift: u32, counts: &mut [u32]) {
    let bins = shared::<[AtomicU32; 16]>();
    let (i, t) = (grid_1d(), thread_idx().x);
    if t < 16 {
        bins[t].store(0, Relaxed);
    }
    sync_threads();
    if i < keys.len() {
        bins[((keys[i] >> shift) & 15) as usize].fetch_add(1, Relaxed);
    }
    sync_threads();
    if t < 16 {
        counts[t * grid_dim().x + block_idx().x] = bins[t].load(Relaxed);
    }
}

/// Radix sort by one bit: zeros to the front, ones behind them, by scanned flags.
#[gpu_kernel]
fn radix_split(keys: &[u32], zeros_before: &[u32], zeros: usize, bit: u32, out: &mut [u32]) {
    let i = grid_1d();
    if i < keys.len() {
        let before = zeros_before[i] as usize;
        let place = if keys[i] >> bit & 1 == 0 { before } else { zeros + i - before };
        out[place] = keys[i];
    }
}

/// Sorts by the number of smaller elements: a thread per element.
#[gpu_kernel]
fn rank_sort_ranks(x: &[u32], ranks: &mut [u32]) {
    let i = grid_1d();
    if i < x.len() {
        let mut rank = 0;
        for j in 0..x.len() {
            if x[j] < x[i] || x[j] == x[i] && j < i {
                rank += 1;
            }
        }
        ranks[i] = rank;
    }
}

/// Every place where a pattern is found.
#[gpu_kernel]
fn string_search(text: &[u8], pattern: &[u8], found: &mut [u8]) {
    let i = grid_1d();
    if i + pattern.len() <= text.len() {
        let mut equal = true;
        for k in 0..pattern.len() {
            if text[i + k] != pattern[k] {
                equal = false;
                break;
            }
        }
        found[i] = if equal { 1 } else { 0 };
    }
}

/// Open addressing with linear probing.
#[gpu_kernel]
fn hash_build(keys: &[u32], slots: &[AtomicU32], places: &mut [u32]) {
    let i = grid_1d();
    if i < keys.len() {
        let mut slot = (keys[i] * 2654435761) as usize % slots.len();
        loop {
            let old = match slots[slot].compare_exchange(0, keys[i], Relaxed, Relaxed) {
                Ok(old) => old,
                Err(old) => old,
            };
            if old == 0 || old == keys[i] {
                break;
            }
            slot = (slot + 1) % slots.len();
        }
        places[i] = slot as u32;
    }
}
