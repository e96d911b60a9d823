extern "C" __global__ void nest_of_loops(const u8* __restrict__ image, usize image_len, i32* __restrict__ out, usize out_len, i32 width, i32 height) {
  gr_wait_for_previous();
  const i32 x = (i32)((usize)blockIdx.x * blockDim.x + threadIdx.x);
  const i32 y = (i32)(usize)blockIdx.y;
  i32 sum = 0;
  for (i32 dy = (-1); dy < 2; dy++) {
    for (i32 dx = (-1); dx < 2; dx++) {
      const i32 highest = gr_wrapping_sub(width, 1);
      if (!(0 <= highest)) gr_panic(0, 0, 0); // unless proved
      const i32 cx = gr_clamp(gr_wrapping_add(x, dx), 0, highest);
      const i32 highest_2 = gr_wrapping_sub(height, 1);
      if (!(0 <= highest_2)) gr_panic(1, 0, 0); // unless proved
      const i32 cy = gr_clamp(y + dy, 0, highest_2);
      const usize index = (usize)gr_wrapping_add(gr_wrapping_mul(cy, width), cx);
      if (index >= image_len) gr_panic(2, index, image_len); // unless proved
      const i32 lowest = (-1);
      sum = gr_wrapping_add(sum, (i32)image[index] * gr_clamp(dx, lowest, 1));
    }
  }
  if ((usize)blockIdx.x * blockDim.x + threadIdx.x < out_len) {
    out[(usize)blockIdx.x * blockDim.x + threadIdx.x] = sum;
  }
}
