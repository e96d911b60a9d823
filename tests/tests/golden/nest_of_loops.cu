extern "C" __global__ void nest_of_loops(const u8* __restrict__ image, usize image_len, i32* __restrict__ out, usize out_len, i32 width, i32 height) {
  const i32 x = (i32)((usize)blockIdx.x * blockDim.x + threadIdx.x);
  const i32 y = (i32)(usize)blockIdx.y;
  i32 sum = 0;
  const i32 start = (-1);
  const i32 sum_before = sum;
  bool inside = (usize)2 - (usize)start <= 1048576 && image_len != 0 && (usize)2 - (usize)(-1) < 64 && 0 <= gr_wrapping_sub(width, 1) && 0 <= gr_wrapping_sub(height, 1) && (-1) <= 1;
  usize most = 0;
  if (inside) {
    for (i32 dy = start; dy < 2; dy++) {
      for (i32 dx = (-1); dx < 2; dx++) {
        const i32 highest = gr_wrapping_sub(width, 1);
        const i32 cx = gr_clamp(gr_wrapping_add(x, dx), 0, highest);
        const i32 highest_2 = gr_wrapping_sub(height, 1);
        const i32 cy = gr_clamp(gr_wrapping_add(y, dy), 0, highest_2);
        const usize index = (usize)gr_wrapping_add(gr_wrapping_mul(cy, width), cx);
        most = gr_larger(most, index);
        const i32 lowest = (-1);
        sum = gr_wrapping_add(sum, gr_wrapping_mul((i32)image[gr_clamped(index, image_len)], gr_clamp(dx, lowest, 1)));
      }
    }
    inside &= most < image_len;
  }
  if (!inside) {
    sum = sum_before;
    #pragma unroll 1
    for (i32 dy = start; dy < 2; dy++) {
      for (i32 dx = (-1); dx < 2; dx++) {
        const i32 highest_3 = gr_wrapping_sub(width, 1);
        if (!(0 <= highest_3)) gr_panic(0, 0, 0);
        const i32 cx = gr_clamp(gr_wrapping_add(x, dx), 0, highest_3);
        const i32 highest_4 = gr_wrapping_sub(height, 1);
        if (!(0 <= highest_4)) gr_panic(1, 0, 0);
        const i32 cy = gr_clamp(gr_wrapping_add(y, dy), 0, highest_4);
        const i32 value = gr_wrapping_add(gr_wrapping_mul(cy, width), cx);
        const usize index_2 = (usize)(value);
        if (index_2 >= image_len) gr_panic(2, index_2, image_len);
        const i32 lowest_2 = (-1);
        sum = gr_wrapping_add(sum, gr_wrapping_mul((i32)image[index_2], gr_clamp(dx, lowest_2, 1)));
      }
    }
  }
  if ((usize)blockIdx.x * blockDim.x + threadIdx.x < out_len) {
    out[(usize)blockIdx.x * blockDim.x + threadIdx.x] = sum;
  }
}
