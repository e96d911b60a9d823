static __device__ gr_tuple2<f32, f32> largest(const f32* values, usize values_len, f32 start) {
  f32 best = start;
  for (usize k = 0ull; k < values_len; k++) {
    const f32 value = values[k];
    if (gr_is_zero_divisor(start)) gr_panic(1, 0, 0);
    if (gr_division_overflows(value, start)) gr_panic(1, 1, 0);
    best = gr_max(best, gr_remainder(value, start));
  }
  return gr_tuple2<f32, f32>{best, gr_wrapping_mul(gr_cast<f32>(best), 3.1415927f)};
}

static __device__ f32 smoothstep(f32 low, f32 high, f32 x) {
  if (!(0.0f <= 1.0f)) gr_panic(1, 0, 0);
  const f32 t = gr_clamp(gr_divide(gr_wrapping_sub(x, low), gr_wrapping_sub(high, low)), 0.0f, 1.0f);
  return gr_wrapping_add(gr_wrapping_mul(gr_wrapping_mul(t, t), gr_wrapping_sub(3.0f, gr_wrapping_mul(2.0f, t))), gr_abs(gr_exp(t)));
}

extern "C" __global__ void generic_in_single_precision(const f32* __restrict__ x, usize x_len, f32* out, usize out_len) {
  gr_wait_for_previous();
  const usize i = (usize)blockIdx.x * blockDim.x + threadIdx.x;
  if (i < out_len) {
    const gr_tuple2<f32, f32> value = largest(x, x_len, 4.0);
    const f32 most = value._0;
    const f32 circumference = value._1;
    if (i >= x_len) gr_panic(0, i, x_len); // unless proved
    const f32 value_2 = smoothstep(0.0, most, x[i]);
    out[i] = value_2 + circumference;
  }
}
