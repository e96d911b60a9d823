extern "C" __global__ void trigonometry(const f32* __restrict__ a, usize a_len, f32* __restrict__ out, usize out_len) {
  gr_wait_for_previous();
  const usize i = (usize)blockIdx.x * blockDim.x + threadIdx.x;
  if (i < out_len) {
    if (i >= a_len) gr_panic(0, i, a_len); // unless proved
    const gr_tuple2<f32, f32> value = gr_sin_cos(a[i]);
    const f32 s = value._0;
    const f32 c = value._1;
    out[i] = gr_powi(s, 2) + gr_powi(c, 2) + atan2f(gr_tan(a[i]), 2.0f);
  }
}
