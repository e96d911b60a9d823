extern "C" __global__ void periodic(const f32* __restrict__ before, usize before_len, f32* after, usize after_len, usize width, usize height) {
  gr_wait_for_previous();
  const usize i = (usize)blockIdx.x * blockDim.x + threadIdx.x;
  if (i < width * height) {
    if (width == 0) gr_panic(0, 0, 0); // unless proved
    if (width == 0) gr_panic(1, 0, 0); // unless proved
    const usize x = i % width;
    const usize y = i / width;
    const auto at = [&](const usize x_2, const usize y_2) -> f32 {
      const usize index = y_2 * width + x_2;
      if (index >= before_len) gr_panic(2, index, before_len); // unless proved
      return before[index];
    };
    const usize value = x + 1ull;
    if (width == 0) gr_panic(3, 0, 0); // unless proved
    const f32 value_2 = at(value % width, y);
    const usize value_3 = y + height - 1ull;
    const f32 value_4 = at(x, value_3 % height);
    if (i >= after_len) gr_panic(5, i, after_len); // unless proved
    after[i] = value_2 + value_4;
  }
}
