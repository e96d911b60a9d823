extern "C" __global__ void own_elements(const f32* __restrict__ x, usize x_len, f32* __restrict__ out, usize out_len, f32* __restrict__ sums, usize sums_len) {
  gr_wait_for_previous();
  u32 e = (u32)((usize)blockIdx.x * blockDim.x + threadIdx.x);
  const u32 stride = (u32)(usize)gridDim.x * (u32)(usize)blockDim.x;
  while (e < (u32)out_len) {
    gr_round();
    out[(usize)e] = 2.0f;
    e += stride;
  }
  const usize i = (usize)blockIdx.x * blockDim.x + threadIdx.x;
  if (i < x_len / 4ull) {
    for (gr_counter<4ull> k_next = 0; k_next < 4ull; k_next++) {
      const usize k = k_next;
      const usize index = i * 4ull + k;
      if (index >= sums_len) gr_panic(3, index, sums_len); // unless proved
      sums[index] = x[i * 4ull + k];
    }
  }
}
