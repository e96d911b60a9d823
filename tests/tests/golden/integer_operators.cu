extern "C" __global__ void integer_operators(const i32* __restrict__ a, usize a_len, const u64* __restrict__ b, usize b_len, i32* __restrict__ out, usize out_len, u64* __restrict__ wide, usize wide_len) {
  gr_wait_for_previous();
  const usize i = (usize)blockIdx.x * blockDim.x + threadIdx.x;
  if (i < out_len) {
    if (i >= a_len) gr_panic(0, i, a_len); // unless proved
    const i32 x = a[i];
    out[i] = gr_wrapping_sub(gr_wrapping_add(gr_wrapping_neg(x), gr_wrapping_mul(x, 3)), (x & 12) | (gr_not(x) ^ 5));
    if (i >= b_len) gr_panic(2, i, b_len); // unless proved
    if (i >= wide_len) gr_panic(4, i, wide_len); // unless proved
    wide[i] = b[i] + 1ull - b[i] * 2ull;
    out[i] = gr_wrapping_add(out[i], 7);
    out[i] = out[i] ^ x;
  }
}
