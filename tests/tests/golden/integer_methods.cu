extern "C" __global__ void integer_methods(const i32* __restrict__ a, usize a_len, const u32* __restrict__ b, usize b_len, i32* __restrict__ out, usize out_len, u32* __restrict__ bits, usize bits_len) {
  gr_wait_for_previous();
  const usize i = (usize)blockIdx.x * blockDim.x + threadIdx.x;
  if (i < out_len) {
    if (i >= a_len) gr_panic(0, i, a_len); // unless proved
    out[i] = gr_saturating_sub(gr_wrapping_add(gr_rem_euclid(gr_wrapping_pow(gr_min(gr_wrapping_abs(a[i]), 9), 2u), 5), 1), 2);
    if (i >= b_len) gr_panic(3, i, b_len); // unless proved
    if (i >= bits_len) gr_panic(7, i, bits_len); // unless proved
    bits[i] = gr_count_ones(b[i]) + gr_rotate_left(b[i], 3u) + gr_div_ceil(gr_abs_diff(a[i], 2), 4u);
    const gr_tuple2<i32, bool> value = gr_overflowing_add(a[i], a[i]);
    const i32 sum = value._0;
    const bool overflowed = value._1;
    if (overflowed) {
      out[i] = sum;
    }
  }
}
