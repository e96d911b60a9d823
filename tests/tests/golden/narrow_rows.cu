extern "C" __global__ void sparse_by_dense(const u32* __restrict__ starts, u32 starts_len, const u32* __restrict__ columns, u32 columns_len, const f32* __restrict__ values, u32 values_len, const f32* __restrict__ x, u32 x_len, f32* __restrict__ y, u32 y_len, u32 width) {
  gr_wait_for_previous();
  const u32 column = (usize)blockIdx.x * blockDim.x + threadIdx.x;
  const u32 row = (usize)blockIdx.y * blockDim.y + threadIdx.y;
  if (column < width && row < (u32)(y_len) / width) {
    f32 sum = 0.0f;
    const u32 index = row + 1u;
    const u32 end = (u32)((usize)starts[index]);
    u32 k_next = (u32)((usize)starts[row]);
    const u32 k_end = gr_within(gr_within((u32)end, values_len), columns_len);
    for (; k_next < k_end && gr_distance(k_next, k_end) >= 16; k_next += 16) {
      u32 ahead[16];
      u32 most = 0;
      #pragma unroll
      for (u32 step = 0; step < 16; step++) {
        const u32 k = (u32)(k_next + step);
        ahead[step] = columns[(usize)k_next + step];
        most = gr_larger(most, ahead[step]);
      }
      if (((usize)most * (usize)(width) + (usize)(column)) >= x_len) break;
      #pragma unroll
      for (u32 step_2 = 0; step_2 < 16; step_2++) {
        const u32 k = (u32)(k_next + step_2);
        sum += values[(usize)k_next + step_2] * x[(i32)((u32)((usize)ahead[step_2]) * width + column)];
      }
    }
    for (; k_next < k_end && gr_distance(k_next, k_end) >= 4; k_next += 4) {
      u32 ahead_2[4];
      u32 most_2 = 0;
      #pragma unroll
      for (u32 step_3 = 0; step_3 < 4; step_3++) {
        const u32 k = (u32)(k_next + step_3);
        ahead_2[step_3] = columns[(usize)k_next + step_3];
        most_2 = gr_larger(most_2, ahead_2[step_3]);
      }
      if (((usize)most_2 * (usize)(width) + (usize)(column)) >= x_len) break;
      #pragma unroll
      for (u32 step_4 = 0; step_4 < 4; step_4++) {
        const u32 k = (u32)(k_next + step_4);
        sum += values[(usize)k_next + step_4] * x[(i32)((u32)((usize)ahead_2[step_4]) * width + column)];
      }
    }
    #pragma unroll 1
    for (u32 k = k_next; k < end; k++) {
      if (k >= values_len) gr_panic(3, k, values_len);
      const usize index_2 = (usize)columns[k] * (usize)(width) + (usize)(column);
      if (index_2 >= x_len) gr_panic(5, index_2, x_len);
      sum += values[k] * x[(i32)(gr_low_half(index_2))];
    }
    y[row * width + column] = sum;
  }
}
