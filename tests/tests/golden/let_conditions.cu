extern "C" __global__ void let_conditions(const i32* __restrict__ a, usize a_len, i32* __restrict__ out, usize out_len) {
  gr_wait_for_previous();
  const usize i = (usize)blockIdx.x * blockDim.x + threadIdx.x;
  if (!(i <= 999ull)) {
    return;
  }
  bool matched = false;
  if (i < out_len) {
    if (i >= a_len) gr_panic(0, i, a_len); // unless proved
    const i32 value = a[i];
    if (value >= 1 && value <= 5) {
      const i32 n = value;
      if (n != out[i]) {
        matched = true;
        out[i] = n;
      }
    }
  }
  if (!matched) {
    if (i >= out_len) gr_panic(3, i, out_len); // unless proved
    const i32 value_2 = out[i];
    if (value_2 == 7) {
      out[i] = 8;
    } else {
      out[i] = 9;
    }
  }
  if (0ull >= a_len) gr_panic(6, 0ull, a_len); // unless proved
  i32 k = a[0ull];
  while (true) {
    gr_round();
    const i32 value_3 = k;
    if (!(value_3 >= 1)) break;
    if (1ull >= a_len) gr_panic(7, 1ull, a_len); // unless proved
    if (!(k < a[1ull])) break;
    k = gr_wrapping_mul(k, 2);
  }
  const i32 value_4 = k;
  out[0ull] = (value_4 == 3 || (value_4 >= 5 && value_4 < 9)) ? k : 0;
}
