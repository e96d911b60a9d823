extern "C" __global__ void nearest_center(const f32* __restrict__ points, u32 points_len, i32 count, i32 axes, const f32* __restrict__ centers, u32 centers_len, i32 groups, i32* __restrict__ nearest, u32 nearest_len) {
  gr_wait_for_previous();
  const i32 point = (i32)((u32)((usize)blockIdx.x * blockDim.x + threadIdx.x));
  if (point < count) {
    i32 best = (-1);
    f32 least = 3.4028235e38f;
    for (i32 group = 0; group < groups; group++) {
      f32 distance = 0.0f;
      for (i32 axis = 0; axis < axes; axis++) {
        const u32 index = (u32)((usize)((axis * count) + point));
        const u32 index_2 = (u32)((usize)((group * axes) + axis));
        const f32 difference = points[(i32)(index)] - centers[(i32)(index_2)];
        distance += difference * difference;
      }
      if (distance < least) {
        least = distance;
        best = group;
      }
    }
    const u32 index_3 = (u32)((usize)point);
    nearest[(i32)(index_3)] = best;
  }
}
