extern "C" __global__ void bit_operations(const u32* __restrict__ x, usize x_len, const i64* __restrict__ y, usize y_len, u32* __restrict__ out, usize out_len, i64* __restrict__ wide, usize wide_len) {
  gr_wait_for_previous();
  const usize i = (usize)blockIdx.x * blockDim.x + threadIdx.x;
  if (i < out_len) {
    if (i >= x_len) gr_panic(0, i, x_len); // unless proved
    out[i] = gr_byte_permute(gr_funnel_shift_left(gr_mul_hi(x[i], 7u), x[i], 3u), 1u, 17185u);
    if (i >= y_len) gr_panic(3, i, y_len); // unless proved
    if (i >= wide_len) gr_panic(4, i, wide_len); // unless proved
    wide[i] = gr_mul_hi(y[i], (-5ll));
  }
}
