extern "C" __global__ void evaluation_order(const i32* __restrict__ x, usize x_len, i32 d, i32* __restrict__ out, usize out_len) {
  gr_wait_for_previous();
  const usize i = (usize)blockIdx.x * blockDim.x + threadIdx.x;
  if (i < out_len) {
    usize k = 1ull;
    const usize value = k;
    usize value_2;
    {
      k = 2ull;
      value_2 = k;
    }
    const usize a = value + value_2 + k;
    const usize index = i + 1ull;
    if (index >= x_len) gr_panic(0, index, x_len); // unless proved
    const i32 value_3 = x[index];
    if (d == 0) gr_panic(1, 0, 0); // unless proved
    if (gr_division_overflows(value_3, d)) gr_panic(1, 1, 0); // unless proved
    const i32 value_4 = x[i];
    const usize index_2 = (usize)(value_4);
    if (index_2 >= out_len) gr_panic(3, index_2, out_len);
    out[index_2] = value_3 / d;
    const usize index_3 = (usize)d;
    if (index_3 >= x_len) gr_panic(4, index_3, x_len); // unless proved
    const i32 value_5 = x[index_3];
    if (d == 0) gr_panic(5, 0, 0); // unless proved
    if (gr_division_overflows(value_5, d)) gr_panic(5, 1, 0); // unless proved
    if (k >= x_len) gr_panic(6, k, x_len); // unless proved
    out[i] = gr_wrapping_add(gr_wrapping_add((i32)a, value_5 / d), x[k]);
  }
}
