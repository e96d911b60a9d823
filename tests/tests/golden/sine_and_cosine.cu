extern "C" __global__ void sine_and_cosine(const f32* __restrict__ a, usize a_len, f32* __restrict__ out, usize out_len) {
  gr_wait_for_previous();
  const usize i = (usize)blockIdx.x * blockDim.x + threadIdx.x;
  if (i < out_len) {
    if (i >= a_len) gr_panic(0, i, a_len); // unless proved
    const f32 x = a[i];
    const gr_angle x_angle = gr_reduce(x);
    out[i] = gr_powi(gr_cos(x, x_angle), 2) + gr_powi(gr_sin(x, x_angle), 2);
  }
}
