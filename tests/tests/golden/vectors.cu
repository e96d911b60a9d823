static __device__ __forceinline__ gr_vector4<f32> vector_splat(f32 value) {
  return gr_vector_of(value, value, value, value);
}

static __device__ __forceinline__ gr_vector4<f32> vector_new(f32 x, f32 y, f32 z, f32 w) {
  return gr_vector_of(x, y, z, w);
}

static __device__ __forceinline__ f32 vector_dot(gr_vector4<f32> a, gr_vector4<f32> b) {
  return gr_vector_sum(gr_wrapping_mul(a, b));
}

extern "C" __global__ void vectors(const gr_vector4<f32>* __restrict__ x, usize x_len, gr_vector4<f32>* y, usize y_len, gr_vector4<i32>* n, usize n_len, f32 scale) {
  gr_wait_for_previous();
  const usize i = (usize)blockIdx.x * blockDim.x + threadIdx.x;
  if (i < x_len && i < y_len && i < n_len) {
    const gr_vector4<f32> value = y[i];
    if (gr_is_zero_divisor((f32)2.0)) gr_panic(2, 0, 0);
    if (gr_division_overflows(value, (f32)2.0)) gr_panic(2, 1, 0);
    const gr_vector4<f32> value_2 = gr_wrapping_add(gr_wrapping_mul(scale, x[i]), gr_divide(value, (f32)2.0));
    const gr_vector4<f32> value_3 = vector_splat(0.1);
    y[i] = gr_wrapping_sub(value_2, value_3);
    const usize value_4 = i;
    const gr_vector4<f32> value_5 = vector_new(1.0, scale, 0.0, x[i].y);
    const f32 value_6 = vector_dot(x[value_4], value_5);
    y[i].w = -value_6;
    const gr_vector4<i32> value_7 = n[i];
    const gr_vector4<i32> divisor = gr_wrapping_add(gr_wrapping_mul((i32)7, n[i]), (i32)1);
    if (gr_is_zero_divisor(divisor)) gr_panic(9, 0, 0);
    if (gr_division_overflows(value_7, divisor)) gr_panic(9, 1, 0);
    n[i] = gr_divide(value_7, divisor);
    if (x[i] == y[i]) {
      y[i] = gr_min(x[i], y[i]);
    }
  }
}
