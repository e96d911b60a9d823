static __device__ gr_option<f32> inverse(f32 x) {
  gr_option<f32> value;
  if (x == 0.0f) {
    value = gr_option<f32>{};
  } else {
    value = gr_some<f32>(1.0f / x);
  }
  return value;
}

extern "C" __global__ void options(const f32* __restrict__ a, usize a_len, const i32* __restrict__ n, usize n_len, f32* __restrict__ out, usize out_len, i32* __restrict__ sum, usize sum_len) {
  const usize i = (usize)blockIdx.x * blockDim.x + threadIdx.x;
  if (i < out_len) {
    gr_option<f32> best = gr_option<f32>{};
    if (i >= a_len) gr_panic(0, i, a_len); // unless proved
    const gr_option<f32> value_4 = inverse(a[i]);
    if (value_4.some) {
      const f32 x = value_4.value;
      best = gr_some<f32>(x * 2.0f);
    }
    f32 value_5;
    const gr_option<f32> value_6 = best;
    const f32 value_7 = -1.0f;
    if (value_6.some) {
      const f32 value = value_6.value;
      value_5 = value;
    } else {
      const f32 value_2 = value_7;
      value_5 = value_2;
    }
    out[i] = value_5;
    if (i >= n_len) gr_panic(2, i, n_len); // unless proved
    const gr_option<i32> value_8 = gr_checked_mul(n[i], 3);
    if (!value_8.some) {
      return;
    }
    const i32 product = value_8.value;
    i32 value_9;
    const gr_option<i32> value_10 = gr_checked_add(n[i], 1);
    if (value_10.some) {
      const i32 value_3 = value_10.value;
      value_9 = value_3;
    } else {
      gr_panic(4, 0, 0);
    }
    if (i >= sum_len) gr_panic(5, i, sum_len); // unless proved
    sum[i] = gr_wrapping_add(product, value_9);
    const gr_option<f32> value_11 = best;
    if (value_11.some) {
      sum[i] = gr_wrapping_add(sum[i], 1);
    }
  }
}
