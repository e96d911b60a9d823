extern "C" __global__ void __launch_bounds__(256) block_sum(const f32* __restrict__ x, usize x_len, f32* __restrict__ out, usize out_len) {
  __shared__ gr_array<f32, 256> tile;
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
    if (t < stride) {
      const usize index = t + stride;
      if (index >= 256) gr_panic(5, index, 256);
      tile[t] += tile[index];
    }
    __syncthreads();
    stride = stride / 2ull;
  }
  if (t == 0ull) {
    const usize index_2 = (usize)blockIdx.x;
    if (index_2 >= out_len) gr_panic(9, index_2, out_len); // unless proved
    out[index_2] = tile[0ull];
  }
}
