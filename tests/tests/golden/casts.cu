extern "C" __global__ void casts(const f32* __restrict__ a, usize a_len, const i64* __restrict__ b, usize b_len, const bool* __restrict__ c, usize c_len, i32* __restrict__ out, usize out_len, f64* __restrict__ wide, usize wide_len, u32* __restrict__ bits, usize bits_len) {
  gr_wait_for_previous();
  const usize i = (usize)blockIdx.x * blockDim.x + threadIdx.x;
  if (i < out_len) {
    if (i >= a_len) gr_panic(0, i, a_len); // unless proved
    if (i >= b_len) gr_panic(1, i, b_len); // unless proved
    if (i >= c_len) gr_panic(2, i, c_len); // unless proved
    out[i] = gr_wrapping_add(gr_wrapping_add(gr_wrapping_add(gr_wrapping_add(gr_cast<i32>(a[i]), (i32)b[i]), (i32)c[i]), gr_cast<i32>(3.9)), (i32)(i8)(u8)255);
    if (i >= wide_len) gr_panic(7, i, wide_len); // unless proved
    wide[i] = (f64)a[i] + (f64)b[i] + (f64)a[i];
    if (i >= bits_len) gr_panic(10, i, bits_len); // unless proved
    bits[i] = __float_as_uint(a[i]) + (u32)gr_cast<u8>(a[i]) + (u32)i;
    out[i] = gr_wrapping_add(out[i], gr_cast<i32>(__uint_as_float(bits[i])));
  }
}
