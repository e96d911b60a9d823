extern "C" __global__ void generic_kernel(f32 a, const f32* __restrict__ x, usize x_len, f32* __restrict__ y, usize y_len) {
  gr_wait_for_previous();
  const usize i = (usize)blockIdx.x * blockDim.x + threadIdx.x;
  if (i < y_len) {
    gr_array<f32, 3ull> powers = gr_array<f32, 3ull>::repeat(1.0f);
    for (usize k = 1ull; k < 3ull; k++) {
      if (i >= x_len) gr_panic(1, i, x_len); // unless proved
      powers[k] = gr_wrapping_mul(powers[k - 1ull], x[i]);
    }
    const usize index = 3ull - 1ull;
    if (index >= 3ull) gr_panic(4, index, 3ull); // unless proved
    y[i] = gr_wrapping_add(y[i], gr_wrapping_mul(a, powers[index]));
  }
}
