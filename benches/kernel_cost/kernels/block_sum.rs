/// The sum and the largest element of each block, by trees in shared memory.
#[gpu_kernel(block = BLOCK)]
pub fn block_sum(x: &[f32], sums: &mut [f32], largest: &mut [f32]) {
    let mut partial = shared::<[f32; BLOCK]>();
    let mut highest = shared::<[f32; BLOCK]>();
    let (t, block) = (thread_idx().x, block_idx().x);
    let i = grid_1d();
    let value = if i < x.len() { x[i] } else { 0.0 };
    partial[t] = value;
    highest[t] = value;
    sync_threads();
    let mut stride = BLOCK / 2;
    while stride > 0 {
        if t < stride {
            partial[t] += partial[t + stride];
            highest[t] = highest[t].max(highest[t + stride]);
        }
        sync_threads();
        stride /= 2;
    }
    if t == 0 && block < sums.len() && block < largest.len() {
        sums[block] = partial[0];
        largest[block] = highest[0];
    }
}
