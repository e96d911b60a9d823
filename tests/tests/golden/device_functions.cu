static __device__ gr_tuple2<f32, bool> divided(f32 x, i32 by) {
  if (by == 0) {
    return gr_tuple2<f32, bool>{0.0f, false};
  }
  const f32 value = square(x);
  return gr_tuple2<f32, bool>{value / (f32)by, true};
}

static __device__ f32 square(f32 x) {
  return x * x;
}

extern "C" __global__ void device_functions(const f32* __restrict__ x, usize x_len, f32* out, usize out_len) {
  gr_wait_for_previous();
  const usize i = (usize)blockIdx.x * blockDim.x + threadIdx.x;
  if (i < out_len) {
    if (i >= x_len) gr_panic(0, i, x_len); // unless proved
    const gr_tuple2<f32, bool> value = divided(x[i], 3);
    const f32 quotient = value._0;
    const bool valid = value._1;
    f32 value_2;
    if (valid) {
      const f32 value_3 = square(2.0);
      value_2 = quotient + value_3;
    } else {
      value_2 = square(x[i]);
    }
    out[i] = value_2;
  }
}
