/// Random walks on integers, with all that can be done to bits.
#[gpu_kernel]
pub fn shuffle_bits(seeds: &[u32], steps: u32, out: &mut [u32]) {
    let i = grid_1d();
    if i < out.len() {
        let mut state = seeds[i] | 1;
        let mut hash = 2166136261u32;
        for step in 0..steps {
            state = next_random(state);
            let byte = (state >> (step % 4 * 8)) & 0xff;
            hash = (hash ^ byte).wrapping_mul(16777619);
            hash = match step % 3 {
                0 => hash.rotate_left(5),
                1 => hash ^ hash.count_ones(),
                _ => hash.wrapping_add(hash.leading_zeros()),
            };
        }
        out[i] = hash % 1000003;
    }
}
