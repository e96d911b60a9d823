extern "C" __global__ void shifts(const i32* __restrict__ a, usize a_len, u8 n, i32* __restrict__ out, usize out_len, u64* __restrict__ bits, usize bits_len) {
  gr_wait_for_previous();
  const usize i = (usize)blockIdx.x * blockDim.x + threadIdx.x;
  if (i < out_len) {
    if (i >= a_len) gr_panic(0, i, a_len); // unless proved
    out[i] = gr_wrapping_shr(gr_wrapping_shl(a[i], (u32)4), (u32)n);
    out[i] = gr_wrapping_shr(out[i], (u32)i);
    if (i >= bits_len) gr_panic(3, i, bits_len); // unless proved
    bits[i] = gr_wrapping_shl(1ull, (u32)n);
  }
}
