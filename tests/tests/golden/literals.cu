extern "C" __global__ void literals(f32* __restrict__ out, usize out_len, f64* __restrict__ wide, usize wide_len, i64* __restrict__ int_, usize int__len, u8* __restrict__ byte, usize byte_len) {
  gr_wait_for_previous();
  const usize i = (usize)blockIdx.x * blockDim.x + threadIdx.x;
  if (i < out_len) {
    out[i] = 0.1f + 10000000000.0f + 16777216.0f + 3.4028235e38f + 1.1920929e-7f + __uint_as_float(0x7f800000u) + 3.1415927f;
    if (i >= wide_len) gr_panic(1, i, wide_len); // unless proved
    wide[i] = 0.1 + 1e-7 + 2.0 + __longlong_as_double((i64)0x7ff8000000000000ull);
    if (i >= int__len) gr_panic(2, i, int__len); // unless proved
    int_[i] = gr_wrapping_add(gr_wrapping_add(gr_wrapping_add(((-9223372036854775807ll - 1)), 255ll), 1000000000000ll), (-9223372036854775807ll - 1));
    if (i >= byte_len) gr_panic(3, i, byte_len); // unless proved
    byte[i] = gr_wrapping_add(gr_wrapping_add((u8)97, (u8)3), (u8)255);
  }
}
