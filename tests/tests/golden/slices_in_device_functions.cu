static __device__ void fill(f32* values, usize values_len, f32 value) {
  for (usize k = 0ull; k < values_len; k++) {
    values[k] = value;
  }
}

static __device__ f32 total(const f32* values, usize values_len) {
  f32 sum = 0.0f;
  for (usize k = 0ull; k < values_len; k++) {
    sum += values[k];
  }
  return sum;
}

extern "C" __global__ void slices_in_device_functions(const f32* __restrict__ x, usize x_len, f32* out, usize out_len) {
  gr_wait_for_previous();
  const usize i = (usize)blockIdx.x * blockDim.x + threadIdx.x;
  if (i < out_len) {
    gr_array<f32, 4> local = gr_array<f32, 4>::repeat(0.0f);
    if (i >= x_len) gr_panic(0, i, x_len); // unless proved
    fill(local.data, 4, x[i]);
    if (3ull > 4) gr_panic(1, 0, 0);
    fill(local.data + 1ull, 2ull, 0.5);
    const f32 value = total(local.data, 4);
    const f32 value_2 = total(x, x_len);
    const f32 value_3 = value + value_2;
    if (i > x_len) gr_panic(2, 0, 0);
    const f32 value_4 = total(x, i);
    out[i] = value_3 + value_4;
  }
}
