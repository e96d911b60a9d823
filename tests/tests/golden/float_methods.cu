extern "C" __global__ void float_methods(const f32* __restrict__ a, usize a_len, f32* __restrict__ out, usize out_len) {
  gr_wait_for_previous();
  const usize i = (usize)blockIdx.x * blockDim.x + threadIdx.x;
  if (i < out_len) {
    if (i >= a_len) gr_panic(0, i, a_len); // unless proved
    const f32 x = a[i];
    out[i] = gr_powi(x, 2) + powf(expf(x), 1.5f) + fmaxf(sqrtf(fabsf(x)), 1.0f) + fmaf(floorf(x), 2.0f, 0.5f) + hypotf(x, 3.0f);
    if (gr_is_nan(x)) {
      const f32 lowest = 0.0f;
      const f32 highest = 1.0f;
      out[i] = gr_clamp(x, lowest, highest) + roundf(x) + gr_signum(x) + gr_rem_euclid(x, 2.0f) + x * 0.017453292f;
    }
  }
}
