extern "C" __global__ void checks_before_loops(const f32* __restrict__ x, usize x_len, const f32* __restrict__ weights, usize weights_len, const u32* __restrict__ widths, usize widths_len, f32* out, usize out_len, u16 rows) {
  gr_wait_for_previous();
  const usize i = (usize)blockIdx.x * blockDim.x + threadIdx.x;
  const usize j = (usize)blockIdx.y * blockDim.y + threadIdx.y;
  if (i < out_len) {
    if (i >= widths_len) gr_panic(0, i, widths_len); // unless proved
    const usize width = (usize)widths[i];
    const auto at = [&](const usize row, const usize column) -> f32 {
      const usize index = row * width + column;
      if (index >= x_len) gr_panic(1, index, x_len);
      return x[index];
    };
    f32 sum = 0.0f;
    const u16 start = (u16)0;
    const usize last = (usize)rows - 1;
    if (gr_most_sum(gr_most_product(last, width), j) < x_len) {
      const auto at = [&](const usize row, const usize column) -> f32 {
        return x[row * width + column];
      };
      for (u16 row_2 = start; row_2 < rows; row_2++) {
        const f32 value = at((usize)row_2, j);
        if (i >= weights_len) gr_panic(2, i, weights_len); // unless proved
        sum += value * weights[i];
      }
    } else {
      #pragma unroll 1
      for (u16 row_2 = start; row_2 < rows; row_2++) {
        const f32 value_2 = at((usize)row_2, j);
        if (i >= weights_len) gr_panic(2, i, weights_len); // unless proved
        sum += value_2 * weights[i];
      }
    }
    const usize end = 2ull * width + 1ull;
    const usize last_2 = (usize)end - 1;
    if (gr_most_difference(gr_most_sum(i, last_2), (i + (usize)0ull), width, width) < x_len && gr_most_sum(gr_most_product(gr_most_product(2ull, last_2), width), j) < x_len) {
      const auto at = [&](const usize row, const usize column) -> f32 {
        return x[row * width + column];
      };
      for (usize k = 0ull; k < end; k++) {
        const f32 value_3 = x[i + k - width];
        const f32 value_4 = at(2ull * k, j);
        sum += value_3 * value_4;
        if (sum > 9.0f) {
          break;
        }
      }
    } else {
      #pragma unroll 1
      for (usize k = 0ull; k < end; k++) {
        const usize index_2 = i + k - width;
        if (index_2 >= x_len) gr_panic(3, index_2, x_len);
        const f32 value_5 = x[index_2];
        const f32 value_6 = at(2ull * k, j);
        sum += value_5 * value_6;
        if (sum > 9.0f) {
          break;
        }
      }
    }
    out[i] = sum;
  }
}
