extern "C" __global__ void float_operators(const f32* __restrict__ a, usize a_len, f32 k, f32* __restrict__ out, usize out_len) {
  gr_wait_for_previous();
  const usize i = (usize)blockIdx.x * blockDim.x + threadIdx.x;
  if (i < out_len) {
    if (i >= a_len) gr_panic(0, i, a_len); // unless proved
    const f32 x = a[i];
    out[i] = -x * k + x / 3.0f - fmodf(x, 2.0f);
    out[i] *= 0.5f;
    if (x > 0.0f && x != k) {
      out[i] -= 1.0f;
    }
  }
}
