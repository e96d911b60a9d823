extern "C" __global__ void __launch_bounds__(32) warp_reads_padded_row(const i32* __restrict__ columns, usize columns_len, const f32* __restrict__ x, usize x_len, f32* __restrict__ out, usize out_len) {
  gr_wait_for_previous();
  __builtin_assume(threadIdx.x < 32);
  alignas(16) __shared__ gr_array<gr_array<f32, 2>, 32> parts;
  gr_any_bytes(parts);
  const usize lane = (usize)threadIdx.x;
  f32 sum = 0.0f;
  usize k = lane;
  const usize start = k;
  usize k_2_first = start;
  const usize k_2_end = gr_within(gr_within((usize)columns_len, columns_len), (usize)~(usize)32ull);
  for (; k_2_first < k_2_end && gr_distance(k_2_first, k_2_end) > (8 - 1) * 32ull; k_2_first += 8 * 32ull) {
    i32 ahead[8];
    u32 most = 0;
    #pragma unroll
    for (u32 step = 0; step < 8; step++) {
      const usize k_2 = (usize)(k_2_first + step * 32ull);
      ahead[step] = columns[(usize)k_2_first + step * 32ull];
      const i32 column = ahead[step];
      if (column >= 0) most = gr_larger(most, (u32)column);
    }
    if ((usize)(i32)most >= x_len) break;
    #pragma unroll
    for (u32 step_2 = 0; step_2 < 8; step_2++) {
      const usize k_2 = (usize)(k_2_first + step_2 * 32ull);
      const i32 column = ahead[step_2];
      if (column >= 0) {
        sum += x[(usize)column];
      }
      k = k_2 + 32ull;
    }
  }
  for (; k_2_first < k_2_end && gr_distance(k_2_first, k_2_end) > (4 - 1) * 32ull; k_2_first += 4 * 32ull) {
    i32 ahead_2[4];
    u32 most_2 = 0;
    #pragma unroll
    for (u32 step_3 = 0; step_3 < 4; step_3++) {
      const usize k_2 = (usize)(k_2_first + step_3 * 32ull);
      ahead_2[step_3] = columns[(usize)k_2_first + step_3 * 32ull];
      const i32 column = ahead_2[step_3];
      if (column >= 0) most_2 = gr_larger(most_2, (u32)column);
    }
    if ((usize)(i32)most_2 >= x_len) break;
    #pragma unroll
    for (u32 step_4 = 0; step_4 < 4; step_4++) {
      const usize k_2 = (usize)(k_2_first + step_4 * 32ull);
      const i32 column = ahead_2[step_4];
      if (column >= 0) {
        sum += x[(usize)column];
      }
      k = k_2 + 32ull;
    }
  }
  usize k_2_next = k_2_first;
  bool k_2_more = k_2_first < columns_len;
  #pragma unroll 1
  while (k_2_more) {
    const usize k_2 = k_2_next;
    k_2_more = gr_distance(k_2, columns_len) > 32ull;
    k_2_next = gr_step(k_2, 32ull);
    const i32 column = columns[k_2];
    if (column >= 0) {
      const usize index = (usize)column;
      if (index >= x_len) gr_panic(1, index, x_len);
      sum += x[index];
    }
    k = k_2 + 32ull;
  }
  parts[lane] = gr_array<f32, 2>{{sum, (f32)k}};
  __syncthreads();
  const gr_array<f32, 2> part = gr_in_one_piece(parts[31ull - lane]);
  if (lane < out_len) {
    out[lane] = part[0ull] + part[1ull];
  }
}
