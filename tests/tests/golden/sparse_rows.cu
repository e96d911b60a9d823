extern "C" __global__ void sparse_rows(const u32* __restrict__ starts, usize starts_len, const u32* __restrict__ columns, usize columns_len, const f32* __restrict__ values, usize values_len, const f32* __restrict__ x, usize x_len, f32* __restrict__ y, usize y_len, usize width) {
  gr_wait_for_previous();
  const usize row = (usize)blockIdx.x * blockDim.x + threadIdx.x;
  if (row < y_len) {
    f32 sum = 0.0f;
    usize last = 0ull;
    if (row >= starts_len) gr_panic(0, row, starts_len); // unless proved
    const usize index = row + 1ull;
    if (index >= starts_len) gr_panic(1, index, starts_len); // unless proved
    const usize end = (usize)starts[index];
    for (usize k = (usize)starts[row]; k < end; k++) {
      if (k >= columns_len) gr_panic(2, k, columns_len);
      last = (usize)columns[k];
      if (k >= values_len) gr_panic(3, k, values_len); // unless proved
      if (width == 0) gr_panic(4, 0, 0); // unless proved
      const usize index_2 = last * width + row % width;
      if (index_2 >= x_len) gr_panic(5, index_2, x_len);
      sum += values[k] * x[index_2];
    }
    if (last >= x_len) gr_panic(6, last, x_len);
    y[row] = sum + x[last];
  }
}
