extern "C" __global__ void sparse_by_dense(const u32* __restrict__ starts, usize starts_len, const u32* __restrict__ columns, usize columns_len, const f32* __restrict__ values, usize values_len, const f32* __restrict__ x, usize x_len, f32* __restrict__ y, usize y_len, usize width) {
  gr_wait_for_previous();
  const usize column = (usize)blockIdx.x * blockDim.x + threadIdx.x;
  const usize row = (usize)blockIdx.y * blockDim.y + threadIdx.y;
  if (column < width && row < y_len / width) {
    f32 sum = 0.0f;
    if (row >= starts_len) gr_panic(1, row, starts_len); // unless proved
    const usize index = row + 1ull;
    if (index >= starts_len) gr_panic(2, index, starts_len); // unless proved
    const usize end = (usize)starts[index];
    usize k_next = (usize)starts[row];
    const usize k_end = gr_within(gr_within((usize)end, values_len), columns_len);
    for (; k_next < k_end && gr_distance(k_next, k_end) >= 8; k_next += 8) {
      u32 ahead[8];
      u32 most = 0;
      #pragma unroll
      for (u32 step = 0; step < 8; step++) {
        const usize k = (usize)(k_next + step);
        ahead[step] = columns[(usize)k_next + step];
        most = gr_larger(most, ahead[step]);
      }
      if (gr_most_sum(gr_most_product((usize)most, width), column) >= x_len) break;
      #pragma unroll
      for (u32 step_2 = 0; step_2 < 8; step_2++) {
        const usize k = (usize)(k_next + step_2);
        sum += values[(usize)k_next + step_2] * x[(usize)ahead[step_2] * width + column];
      }
    }
    for (; k_next < k_end && gr_distance(k_next, k_end) >= 4; k_next += 4) {
      u32 ahead_2[4];
      u32 most_2 = 0;
      #pragma unroll
      for (u32 step_3 = 0; step_3 < 4; step_3++) {
        const usize k = (usize)(k_next + step_3);
        ahead_2[step_3] = columns[(usize)k_next + step_3];
        most_2 = gr_larger(most_2, ahead_2[step_3]);
      }
      if (gr_most_sum(gr_most_product((usize)most_2, width), column) >= x_len) break;
      #pragma unroll
      for (u32 step_4 = 0; step_4 < 4; step_4++) {
        const usize k = (usize)(k_next + step_4);
        sum += values[(usize)k_next + step_4] * x[(usize)ahead_2[step_4] * width + column];
      }
    }
    #pragma unroll 1
    for (usize k = k_next; k < end; k++) {
      if (k >= values_len) gr_panic(3, k, values_len);
      if (k >= columns_len) gr_panic(4, k, columns_len); // unless proved
      const usize index_2 = (usize)columns[k] * width + column;
      if (index_2 >= x_len) gr_panic(5, index_2, x_len);
      sum += values[k] * x[index_2];
    }
    y[row * width + column] = sum;
  }
}
