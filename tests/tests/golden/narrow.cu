extern "C" __global__ void __launch_bounds__(256u) matmul_in_tiles(const f32* __restrict__ a, u32 a_len, const f32* __restrict__ b, u32 b_len, u32 n, f32* c, u32 c_len) {
  gr_wait_for_previous();
  __builtin_assume(threadIdx.x < 16u);
  __builtin_assume(threadIdx.y < 16u);
  alignas(16) __shared__ gr_array<gr_array<f32, 16ull>, 16ull> left;
  gr_any_bytes(left);
  alignas(16) __shared__ gr_array<gr_array<f32, 16ull>, 16ull> right;
  gr_any_bytes(right);
  const u32 tx = (u32)((usize)threadIdx.x);
  const u32 ty = (u32)((usize)threadIdx.y);
  const u32 column = (usize)blockIdx.x * (usize)16ull + threadIdx.x;
  const u32 row = (usize)blockIdx.y * (usize)16ull + threadIdx.y;
  f32 sum = 0.0f;
  const u32 end = n / (u32)(16ull);
  for (u32 tile = 0u; tile < end; tile++) {
    const u32 index = gr_small_add(gr_small_add(gr_small_mul(row, n), gr_small_mul(tile, (u32)(16ull))), tx);
    left[(i32)(ty)][(i32)(tx)] = a[(i32)(index)];
    const u32 index_2 = gr_small_add(gr_small_mul((gr_small_add(gr_small_mul(tile, (u32)(16ull)), ty)), n), column);
    right[(i32)(ty)][(i32)(tx)] = b[(i32)(index_2)];
    __syncthreads();
    for (gr_counter<(u32)(16ull)> k_next = 0; k_next < (u32)(16ull); k_next++) {
      const u32 k = k_next;
      sum += left[(i32)(ty)][(i32)(k)] * right[(i32)(k)][(i32)(tx)];
    }
    __syncthreads();
  }
  if (row < n && column < n) {
    const u32 index_3 = row * n + column;
    c[index_3] = sum;
  }
}
