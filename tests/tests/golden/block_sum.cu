extern "C" __global__ void __launch_bounds__(256) block_sum(const f32* __restrict__ x, usize x_len, f32* __restrict__ out, usize out_len) {
  gr_wait_for_previous();
  __builtin_assume(threadIdx.x < 256);
  alignas(16) __shared__ gr_array<f32, 256> tile;
  gr_any_bytes(tile);
  const usize t = (usize)threadIdx.x;
  const usize i = (usize)blockIdx.x * (usize)256 + threadIdx.x;
  f32 value;
  if (i < x_len) {
    value = x[i];
  } else {
    value = 0.0f;
  }
  tile[t] = value;
  __syncthreads();
  usize stride = (usize)256 / 2ull;
  while (stride > 0ull) {
    gr_round();
    if (t < stride) {
      tile[t] += tile[t + stride];
    }
    __syncthreads();
    stride = stride / 2ull;
  }
  if (t == 0ull) {
    const usize index = (usize)blockIdx.x;
    if (index >= out_len) gr_panic(9, index, out_len); // unless proved
    out[index] = tile[0ull];
  }
}
