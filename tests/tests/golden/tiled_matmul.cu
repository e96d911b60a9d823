extern "C" __global__ void __launch_bounds__(256u) tiled_matmul(const f32* __restrict__ a, usize a_len, const f32* __restrict__ b, usize b_len, usize n, f32* c, usize c_len) {
  gr_wait_for_previous();
  __builtin_assume(threadIdx.x < 16u);
  __builtin_assume(threadIdx.y < 16u);
  alignas(16) __shared__ gr_array<gr_array<f32, 16ull>, 16ull> left;
  gr_any_bytes(left);
  alignas(16) __shared__ gr_array<gr_array<f32, 16ull>, 16ull> right;
  gr_any_bytes(right);
  const usize tx = (usize)threadIdx.x;
  const usize ty = (usize)threadIdx.y;
  const usize column = (usize)blockIdx.x * (usize)16ull + threadIdx.x;
  const usize row = (usize)blockIdx.y * (usize)16ull + threadIdx.y;
  f32 sum = 0.0f;
  const usize end = gr_div_ceil(n, 16ull);
  for (usize tile = 0ull; tile < end; tile++) {
    const usize k = tile * 16ull + tx;
    const usize l = tile * 16ull + ty;
    f32 value;
    if (row < n && k < n) {
      const usize index = row * n + k;
      if (index >= a_len) gr_panic(1, index, a_len); // unless proved
      value = a[index];
    } else {
      value = 0.0f;
    }
    left[ty][tx] = value;
    f32 value_2;
    if (l < n && column < n) {
      const usize index_2 = l * n + column;
      if (index_2 >= b_len) gr_panic(4, index_2, b_len); // unless proved
      value_2 = b[index_2];
    } else {
      value_2 = 0.0f;
    }
    right[ty][tx] = value_2;
    __syncthreads();
    for (gr_counter<16ull> k_2_next = 0; k_2_next < 16ull; k_2_next++) {
      const usize k_2 = k_2_next;
      sum += left[ty][k_2] * right[k_2][tx];
    }
    __syncthreads();
  }
  if (row < n && column < n) {
    const usize index_3 = row * n + column;
    if (index_3 >= c_len) gr_panic(13, index_3, c_len); // unless proved
    c[index_3] = sum;
  }
}
