extern "C" __global__ void arrays(const f32* __restrict__ a, usize a_len, usize k, f32* __restrict__ out, usize out_len) {
  gr_wait_for_previous();
  const usize i = (usize)blockIdx.x * blockDim.x + threadIdx.x;
  if (i < out_len) {
    gr_array<f32, 8> window = gr_array<f32, 8>::repeat(0.0f);
    if (i >= a_len) gr_panic(0, i, a_len); // unless proved
    const gr_array<f32, 3> weights = gr_array<f32, 3>{{0.5f, 0.25f, a[i]}};
    gr_array<gr_array<u8, 4>, 4ull> grid = gr_array<gr_array<u8, 4>, 4ull>::repeat(gr_array<u8, 4>::repeat((u8)0));
    if (k >= 8) gr_panic(2, k, 8); // unless proved
    window[k] = weights[1ull];
    if (k >= 4ull) gr_panic(3, k, 4ull); // unless proved
    grid[k][3ull] = gr_wrapping_add(grid[k][3ull], (u8)1);
    const gr_array<f32, 8> copy = window;
    f32 sum = 0.0f;
    for (usize j = 0ull; j < 8ull; j++) {
      sum += copy[j];
    }
    if (k >= 4) gr_panic(7, k, 4); // unless proved
    out[i] = sum + (f32)grid[0ull][k];
  }
}
