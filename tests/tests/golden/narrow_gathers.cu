extern "C" __global__ void sparse_rows(const u32* __restrict__ starts, u32 starts_len, const u32* __restrict__ columns, u32 columns_len, const f32* __restrict__ values, u32 values_len, const f32* __restrict__ x, u32 x_len, f32* __restrict__ y, u32 y_len, u32 width) {
  gr_wait_for_previous();
  const u32 row = (u32)((usize)blockIdx.x * blockDim.x + threadIdx.x);
  if (row < (u32)(y_len)) {
    f32 sum = 0.0f;
    u32 last = 0u;
    const u32 index = row + 1u;
    const u32 end = (u32)((usize)starts[index]);
    for (u32 k = (u32)((usize)starts[row]); k < end; k++) {
      if (k >= columns_len) gr_panic(2, k, columns_len);
      last = (u32)((usize)columns[k]);
      const usize index_2 = (usize)(last) * (usize)(width) + (usize)(row % width);
      if (index_2 >= x_len) gr_panic(5, index_2, x_len);
      sum += values[k] * x[gr_low_half(index_2)];
    }
    if (last >= x_len) gr_panic(6, last, x_len);
    y[row] = sum + x[last];
  }
}
