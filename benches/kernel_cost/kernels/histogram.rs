/// Counts in shared memory first, then adds to the counts of all blocks.
#[gpu_kernel]
pub fn histogram(x: &[f32], low: f32, width: f32, counts: &[AtomicU32]) {
    let own = shared::<[AtomicU32; 64]>();
    let t = thread_idx().x;
    if t < 64 {
        own[t].store(0, Ordering::Relaxed);
    }
    sync_threads();
    for i in grid_stride(x.len()) {
        let bin = ((x[i] - low) / width).floor();
        if bin >= 0.0 && bin < 64.0 {
            own[bin as usize].fetch_add(1, Ordering::Relaxed);
        }
    }
    sync_threads();
    if t < 64 && t < counts.len() {
        let count = own[t].load(Ordering::Relaxed);
        if count > 0 {
            counts[t].fetch_add(count, Ordering::Relaxed);
        }
    }
}
