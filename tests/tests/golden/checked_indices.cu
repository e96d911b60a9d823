extern "C" __global__ void checked_indices(const f32* __restrict__ x, usize x_len, const u32* __restrict__ index, usize index_len, usize n, f32* __restrict__ out, usize out_len) {
  gr_wait_for_previous();
  const usize i = (usize)blockIdx.x * blockDim.x + threadIdx.x;
  if (i < out_len) {
    if (i >= index_len) gr_panic(0, i, index_len); // unless proved
    const usize from = (usize)index[i];
    if (from >= x_len) gr_panic(1, from, x_len);
    f32 sum = x[from];
    for (usize k = 0ull; k < n; k++) {
      const usize index_2 = i * n + k;
      if (index_2 >= x_len) gr_panic(2, index_2, x_len); // unless proved
      sum += x[index_2];
    }
    out[i] = sum;
  }
}
