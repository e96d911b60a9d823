extern "C" __global__ void for_ranges(const i32* __restrict__ a, usize a_len, i32 n, usize step, i32* __restrict__ out, usize out_len) {
  gr_wait_for_previous();
  const usize i = (usize)blockIdx.x * blockDim.x + threadIdx.x;
  if (i < out_len) {
    i32 sum = 0;
    for (usize k = 0ull; k < a_len; k++) {
      sum = gr_wrapping_add(sum, a[k]);
    }
    if (n != 2147483647ll) {
      const i32 end = n + 1;
      for (i32 k_2 = 1; k_2 < end; k_2++) {
        sum = gr_wrapping_add(sum, k_2);
      }
    } else {
      i32 k_2_next = 1;
      bool k_2_more = 1 <= n;
      while (k_2_more) {
        const i32 k_2 = k_2_next;
        k_2_more = gr_distance(k_2, n) >= 1;
        k_2_next = gr_step(k_2, 1);
        sum = gr_wrapping_add(sum, k_2);
      }
    }
    i32 k_3_next = gr_wrapping_sub(n, (i32)1);
    bool k_3_more = 0 < n;
    while (k_3_more) {
      const i32 k_3 = k_3_next;
      k_3_more = gr_distance(0, k_3) >= 1;
      k_3_next = gr_step_back(k_3, 1);
      if (k_3 == 3) {
        continue;
      }
      sum = gr_wrapping_sub(sum, k_3);
    }
    usize k_4_next = 0ull;
    bool k_4_more = 0ull < 8ull;
    while (k_4_more) {
      const usize k_4 = k_4_next;
      k_4_more = gr_distance(k_4, 8ull) > 2ull;
      k_4_next = gr_step(k_4, 2ull);
      if (k_4 >= a_len) gr_panic(2, k_4, a_len); // unless proved
      sum = gr_wrapping_add(sum, a[k_4]);
    }
    if (step == 0) gr_panic(3, 0, 0);
    i32 k_5_next = n;
    bool k_5_more = 0 <= n;
    while (k_5_more) {
      const i32 k_5 = k_5_next;
      k_5_more = gr_distance(0, k_5) >= step;
      k_5_next = gr_step_back(k_5, step);
      sum = gr_wrapping_add(sum, k_5);
    }
    for (i32 v_ = 0; v_ < 3; v_++) {
      sum = gr_wrapping_mul(sum, 2);
    }
    for (i32 k_6_next = 0; k_6_next < n; k_6_next++) {
      i32 k_6 = k_6_next;
      k_6 = gr_wrapping_mul(k_6, 2);
      sum = gr_wrapping_add(sum, k_6);
    }
    for (i64 y_next = gr_wrapping_neg(2); y_next < (i64)2 + 1; y_next++) {
      const i32 y = y_next;
      for (i32 x = (-1); x < 2; x++) {
        sum = gr_wrapping_sub(sum, gr_wrapping_mul(x, y));
      }
    }
    out[i] = sum;
  }
}
