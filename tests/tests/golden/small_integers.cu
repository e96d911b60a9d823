extern "C" __global__ void small_integers(const u8* __restrict__ a, usize a_len, const i16* __restrict__ b, usize b_len, u8* __restrict__ out, usize out_len, i16* __restrict__ wide, usize wide_len) {
  gr_wait_for_previous();
  const usize i = (usize)blockIdx.x * blockDim.x + threadIdx.x;
  if (i < out_len) {
    if (i >= a_len) gr_panic(0, i, a_len); // unless proved
    out[i] = gr_wrapping_sub(gr_wrapping_add(a[i], (u8)200), gr_not(a[i]));
    if (i >= b_len) gr_panic(3, i, b_len); // unless proved
    if (i >= wide_len) gr_panic(5, i, wide_len); // unless proved
    wide[i] = gr_wrapping_mul(gr_wrapping_neg(b[i]), b[i]);
    out[i] = gr_wrapping_shl(out[i], (u32)3);
    if (gr_equal_bits((u32)a[i], ((u32)out[i] - (u32)(u8)7), 255u) || !gr_equal_bits(((u32)wide[i] * (u32)b[i]), (u32)b[i], 65535u)) {
      out[i] = (u8)0;
    }
  }
}
