extern "C" __global__ void matrix_product(const f32* __restrict__ a, gr_layout<2> a_layout, const f32* __restrict__ b, gr_layout<2> b_layout, f32* __restrict__ c, gr_layout<2> c_layout) {
  gr_wait_for_previous();
  const usize j = (usize)blockIdx.x * blockDim.x + threadIdx.x;
  const usize i = (usize)blockIdx.y * blockDim.y + threadIdx.y;
  if (i < c_layout.shape[0] && j < c_layout.shape[1]) {
    f32 sum = 0.0f;
    const usize end = a_layout.shape[1];
    for (usize k = 0ull; k < end; k++) {
      if (i >= a_layout.shape[0]) gr_panic(0, i, a_layout.shape[0]); // unless proved
      if (k >= b_layout.shape[0]) gr_panic(2, k, b_layout.shape[0]); // unless proved
      if (j >= b_layout.shape[1]) gr_panic(3, j, b_layout.shape[1]); // unless proved
      sum += a[a_layout.offset(i, k)] * b[b_layout.offset(k, j)];
    }
    c[c_layout.offset(i, j)] = sum;
  }
}
