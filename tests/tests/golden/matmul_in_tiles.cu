extern "C" __global__ void __launch_bounds__(256u) matmul_in_tiles(const f32* __restrict__ a, usize a_len, const f32* __restrict__ b, usize b_len, usize n, f32* c, usize c_len) {
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
  const usize end = n / 16ull;
  for (usize tile = 0ull; tile < end; tile++) {
    const usize index = row * n + tile * 16ull + tx;
    if (index >= a_len) gr_panic(1, index, a_len); // unless proved
    left[ty][tx] = a[index];
    const usize index_2 = (tile * 16ull + ty) * n + column;
    if (index_2 >= b_len) gr_panic(4, index_2, b_len); // unless proved
    right[ty][tx] = b[index_2];
    __syncthreads();
    for (gr_counter<16ull> k_next = 0; k_next < 16ull; k_next++) {
      const usize k = k_next;
      sum += left[ty][k] * right[k][tx];
    }
    __syncthreads();
  }
  if (row < n && column < n) {
    const usize index_3 = row * n + column;
    if (index_3 >= c_len) gr_panic(13, index_3, c_len); // unless proved
    c[index_3] = sum;
  }
}
