static __device__ gr_option<f32> inverse(f32 x) {
  gr_option<f32> value;
  if (x == 0.0f) {
    value = gr_option<f32>{};
  } else {
    value = gr_some<f32>(1.0f / x);
  }
  return value;
}

extern "C" __global__ void options(const f32* __restrict__ a, usize a_len, const i32* __restrict__ n, usize n_len, f32* out, usize out_len, i32* sum, usize sum_len) {
  gr_wait_for_previous();
  const usize i = (usize)blockIdx.x * blockDim.x + threadIdx.x;
  if (i < out_len) {
    gr_option<f32> best = gr_option<f32>{};
    if (i >= a_len) gr_panic(0, i, a_len); // unless proved
    const gr_option<f32> value_2 = inverse(a[i]);
    if (value_2.some) {
      const f32 x = value_2.value;
      best = gr_some<f32>(x * 2.0f);
    }
    f32 value_3;
    const gr_option<f32> value_4 = best;
    const f32 value_5 = -1.0f;
    if (value_4.some) {
      const f32 value = value_4.value;
      value_3 = value;
    } else {
      const f32 default_ = value_5;
      value_3 = default_;
    }
    out[i] = value_3;
    if (i >= n_len) gr_panic(2, i, n_len); // unless proved
    const gr_option<i32> value_6 = gr_checked_mul(n[i], 3);
    if (!value_6.some) {
      return;
    }
    const i32 product = value_6.value;
    i32 value_7;
    const gr_option<i32> value_8 = gr_checked_add(n[i], 1);
    if (value_8.some) {
      const i32 value2 = value_8.value;
      value_7 = value2;
    } else {
      gr_panic(4, 0, 0);
    }
    if (i >= sum_len) gr_panic(5, i, sum_len); // unless proved
    sum[i] = gr_wrapping_add(product, value_7);
    const gr_option<f32> value_9 = best;
    if (value_9.some) {
      sum[i] = gr_wrapping_add(sum[i], 1);
    }
  }
}
