namespace gr_cuda_scaled {
__device__ float scaled(const float* x, size_t x_len, float by) { return x[x_len - 1] * by; }
}
static __device__ f32 scaled(const f32* x, usize x_len, f32 by) {
  return gr_cuda_scaled::scaled(x, x_len, by);
}

extern "C" __global__ void foreign_functions(const f32* __restrict__ x, usize x_len, f32* out, usize out_len) {
  gr_wait_for_previous();
  const usize i = (usize)blockIdx.x * blockDim.x + threadIdx.x;
  if (i < out_len) {
    const f32 value = scaled(x, x_len, 2.0);
    out[i] = value;
  }
}
