extern "C" __global__ void periodic(const f32* __restrict__ before, u32 before_len, f32* after, u32 after_len, u32 width, u32 height) {
  gr_wait_for_previous();
  const u32 i = (u32)((usize)blockIdx.x * blockDim.x + threadIdx.x);
  if (i < width * height) {
    const u32 x = i % width;
    const u32 y = i / width;
    const auto at = [&](const u32 x_2, const u32 y_2) -> f32 {
      const u32 index = y_2 * width + x_2;
      return before[index];
    };
    const u32 value = x + 1u;
    const f32 value_2 = at(value % width, y);
    const u32 value_3 = y + height - 1u;
    const f32 value_4 = at(x, value_3 % height);
    after[i] = value_2 + value_4;
  }
}
