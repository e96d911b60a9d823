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
  const usize i = (usize)blockIdx.x * blockDim.x + threadIdx.x;
  if (i < out_len) {
    gr_option<f32> best = gr_option<f32>{};
    if (i >= a_len) gr_panic(0, i, a_len); // unless proved
    const gr_option<f32> value_3 = inverse(a[i]);
    if (value_3.some) {
      const f32 x = value_3.value;
      best = gr_some<f32>(x * 2.0f);
    }
    f32 value_4;
    const gr_option<f32> value_5 = best;
    const f32 value_6 = -1.0f;
    if (value_5.some) {
      const f32 value = value_5.value;
      value_4 = value;
    } else {
      const f32 default_ = value_6;
      value_4 = default_;
    }
    out[i] = value_4;
    if (i >= n_len) gr_panic(2, i, n_len); // unless proved
    const gr_option<i32> value_7 = gr_checked_mul(n[i], 3);
    if (!value_7.some) {
      return;
    }
    const i32 product = value_7.value;
    i32 value_8;
    const gr_option<i32> value_9 = gr_checked_add(n[i], 1);
    if (value_9.some) {
      const i32 value_2 = value_9.value;
      value_8 = value_2;
    } else {
      gr_panic(4, 0, 0);
    }
    if (i >= sum_len) gr_panic(5, i, sum_len); // unless proved
    sum[i] = gr_wrapping_add(product, value_8);
    const gr_option<f32> value_10 = best;
    if (value_10.some) {
      sum[i] = gr_wrapping_add(sum[i], 1);
    }
  }
}
