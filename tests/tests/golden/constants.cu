extern "C" __global__ void constants(const f32* __restrict__ x, usize x_len, f32* __restrict__ out, usize out_len) {
  gr_wait_for_previous();
  const usize i = (usize)blockIdx.x * blockDim.x + threadIdx.x;
  if (i < out_len) {
    const gr_array<f32, 4ull> lanes = gr_array<f32, 4ull>::repeat(1.0f);
    if (i >= x_len) gr_panic(0, i, x_len); // unless proved
    out[i] = x[i] * 0.25f + 6.2831855f + lanes[i % 4ull];
    if ((u32)i < 7u) {
      out[i] = (-3.4028235e38f);
    }
  }
}
