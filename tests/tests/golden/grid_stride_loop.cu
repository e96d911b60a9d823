extern "C" __global__ void grid_stride_loop(const f32* __restrict__ a, usize a_len, f32 k, f32* __restrict__ out, usize out_len) {
  gr_wait_for_previous();
  const usize stride = (usize)gridDim.x * blockDim.x;
  for (usize i = (usize)blockIdx.x * blockDim.x + threadIdx.x; i < out_len; i += stride) {
    if (i >= a_len) gr_panic(0, i, a_len); // unless proved
    out[i] = a[i] * k;
  }
}
