extern "C" __global__ void relaxed_atomics(const u32* __restrict__ x, usize x_len, u32* counts, usize counts_len, f32* sum, usize sum_len, f64* total, usize total_len, i64* most, usize most_len, u32* out, usize out_len) {
  gr_wait_for_previous();
  const usize i = (usize)blockIdx.x * blockDim.x + threadIdx.x;
  if (i < x_len) {
    const usize index = (usize)x[i];
    if (index >= counts_len) gr_panic(1, index, counts_len);
    gr_atomic_add(&counts[index], 1u);
    if (0ull >= sum_len) gr_panic(2, 0ull, sum_len); // unless proved
    gr_atomic_add(&sum[0ull], (f32)x[i]);
    if (0ull >= total_len) gr_panic(4, 0ull, total_len); // unless proved
    gr_atomic_add(&total[0ull], (f64)x[i]);
    if (0ull >= most_len) gr_panic(6, 0ull, most_len); // unless proved
    gr_atomic_max(&most[0ull], (i64)x[i]);
    if (1ull >= most_len) gr_panic(8, 1ull, most_len); // unless proved
    gr_atomic_min(&most[1ull], (i64)x[i]);
    const u32 value = gr_atomic_load(&counts[0ull]);
    if (1ull >= counts_len) gr_panic(11, 1ull, counts_len); // unless proved
    const u32 value_2 = gr_atomic_swap(&counts[1ull], x[i]);
    if (2ull >= counts_len) gr_panic(13, 2ull, counts_len); // unless proved
    const u32 value_3 = gr_atomic_inc(&counts[2ull], 9u);
    if (i >= out_len) gr_panic(14, i, out_len); // unless proved
    out[i] = value + value_2 * value_3;
  }
}
