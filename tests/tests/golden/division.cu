extern "C" __global__ void division(const i32* __restrict__ a, usize a_len, const u32* __restrict__ b, usize b_len, i32* __restrict__ out, usize out_len, u32* __restrict__ rest, usize rest_len) {
  gr_wait_for_previous();
  const usize i = (usize)blockIdx.x * blockDim.x + threadIdx.x;
  if (i < out_len) {
    if (i >= a_len) gr_panic(0, i, a_len); // unless proved
    const i32 divisor = a[i];
    if (divisor == 0) gr_panic(3, 0, 0);
    if (gr_division_overflows(7, divisor)) gr_panic(3, 1, 0);
    out[i] = gr_wrapping_add(a[i] / 3, 7 / divisor);
    if (i >= b_len) gr_panic(5, i, b_len); // unless proved
    const u32 value = b[i];
    const u32 divisor_2 = b[i];
    if (divisor_2 == 0) gr_panic(9, 0, 0);
    if (i >= rest_len) gr_panic(10, i, rest_len); // unless proved
    rest[i] = b[i] % 8u + value / divisor_2;
    out[i] = out[i] / 2;
    const u32 value_2 = rest[i];
    const u32 divisor_3 = b[i];
    if (divisor_3 == 0) gr_panic(15, 0, 0);
    rest[i] = value_2 % divisor_3;
  }
}
