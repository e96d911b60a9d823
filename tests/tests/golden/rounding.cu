extern "C" __global__ void rounding(const f32* __restrict__ x, usize x_len, const f32* __restrict__ y, usize y_len, f32* __restrict__ out, usize out_len, f32* __restrict__ sums, usize sums_len) {
  gr_wait_for_previous();
  const usize i = (usize)blockIdx.x * blockDim.x + threadIdx.x;
  if (i < out_len) {
    if (i >= x_len) gr_panic(0, i, x_len); // unless proved
    out[i] = gr_saturate(gr_mul_add_round_down(x[i], 2.0f, 1.0f));
    if (i >= y_len) gr_panic(2, i, y_len); // unless proved
    if (i >= sums_len) gr_panic(4, i, sums_len); // unless proved
    sums[i] = gr_add_round_to_zero(gr_recip_round_up(y[i]), gr_hypot3(y[i], 1.0f, 2.0f));
  }
}
