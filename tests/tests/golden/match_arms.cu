extern "C" __global__ void match_arms(const i32* __restrict__ a, usize a_len, f32* __restrict__ out, usize out_len) {
  gr_wait_for_previous();
  const usize i = (usize)blockIdx.x * blockDim.x + threadIdx.x;
  if (i < out_len) {
    f32 value;
    if (i >= a_len) gr_panic(0, i, a_len); // unless proved
    const i32 value_2 = a[i];
    if (value_2 == 0) {
      value = 0.5f;
    } else if ((value_2 >= 1 && value_2 <= 9) || value_2 == (-1)) {
      const f32 half = 1.5f;
      value = half * 2.0f;
    } else if (value_2 == 40) {
      return;
    } else if (value_2 >= 100 && value_2 % 2 == 0) {
      const i32 n = value_2;
      value = (f32)n;
    } else {
      const usize index = (usize)(value_2);
      if (index >= a_len) gr_panic(2, index, a_len);
      if (a[index] > 3) {
        const i32 n_2 = value_2;
        value = 1.0f;
      } else {
        i32 n_3 = value_2;
        n_3 = gr_wrapping_add(n_3, 1);
        value = (f32)n_3;
      }
    }
    out[i] = value;
  }
}
