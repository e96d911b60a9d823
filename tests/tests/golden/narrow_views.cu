extern "C" __global__ void matrix_product(const f32* __restrict__ a, gr_layout<2> a_layout, const f32* __restrict__ b, gr_layout<2> b_layout, f32* __restrict__ c, gr_layout<2> c_layout) {
  gr_wait_for_previous();
  const u32 j = (usize)blockIdx.x * blockDim.x + threadIdx.x;
  const u32 i = (usize)blockIdx.y * blockDim.y + threadIdx.y;
  if (i < (u32)(c_layout.shape[0]) && j < (u32)(c_layout.shape[1])) {
    f32 sum = 0.0f;
    const u32 end = (u32)(a_layout.shape[1]);
    for (u32 k = 0u; k < end; k++) {
      sum += a[a_layout.compact_offset(i, k)] * b[b_layout.compact_offset(k, j)];
    }
    c[c_layout.compact_offset(i, j)] = sum;
  }
}
