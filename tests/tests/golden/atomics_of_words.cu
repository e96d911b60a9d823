extern "C" __global__ void atomics_of_words_(const u32* __restrict__ x, usize x_len, u32* counts, usize counts_len, f32* sum, usize sum_len) {
  gr_wait_for_previous();
  const usize i = (usize)blockIdx.x * blockDim.x + threadIdx.x;
  if (i < x_len) {
    if (i >= counts_len) gr_panic(0, i, counts_len); // unless proved
    gr_atomic_add(&counts[i], x[i]);
    gr_atomic_max(&counts[i], x[i]);
    if (i >= sum_len) gr_panic(4, i, sum_len); // unless proved
    gr_atomic_add(&sum[i], 1.5f);
  }
}
