extern "C" __global__ void guarded_alternatives(const i32* __restrict__ a, usize a_len, const i32* __restrict__ b, usize b_len, i32* __restrict__ out, usize out_len) {
  gr_wait_for_previous();
  const usize i = (usize)blockIdx.x * blockDim.x + threadIdx.x;
  if (i < out_len) {
    i32 value;
    if (i >= a_len) gr_panic(0, i, a_len); // unless proved
    if (i >= b_len) gr_panic(1, i, b_len); // unless proved
    const i32 value_2 = a[i];
    const i32 value_3 = b[i];
    if (value_2 == 0 && value_3 == 0) {
      value = 1;
    } else {
      u32 way = 0;
      if (value_2 >= 0 && value_2 <= 9) {
        if (value_3 > 5) way = 1;
      }
      if (way == 0 && (value_3 >= 0 && value_3 <= 9)) {
        if (value_2 > 5) way = 2;
      }
      if (way != 0) {
        const i32 x = (way == 1 ? value_3 : value_2);
        value = x;
      } else if ((value_2 == 1 || value_2 == 2) && a[i] > b[i]) {
        value = 2;
      } else {
        value = 0;
      }
    }
    out[i] = value;
  }
}
