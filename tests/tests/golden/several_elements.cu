static __device__ __forceinline__ void gr_element(const f32* __restrict__ x, usize x_len, const f32* __restrict__ y, usize y_len, f32* __restrict__ out, usize out_len, usize gr_index) {
  const usize i = gr_index;
  if (i < out_len) {
    out[i] = x[i] + y[i];
  }
}

extern "C" __global__ void __launch_bounds__(256u) vector_add(const f32* __restrict__ x, usize x_len, const f32* __restrict__ y, usize y_len, f32* __restrict__ out, usize out_len) {
  gr_wait_for_previous();
  const usize gr_first = (usize)blockIdx.x * (4u * 256u) + threadIdx.x;
  #pragma unroll
  for (u32 gr_k = 0; gr_k < 4u; gr_k++) gr_element(x, x_len, y, y_len, out, out_len, gr_first + gr_k * 256u);
}
