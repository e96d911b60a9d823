extern "C" __global__ void vector_add(const f32* __restrict__ x, usize x_len, const f32* __restrict__ y, usize y_len, f32* __restrict__ out, usize out_len) {
  gr_wait_for_previous();
  const usize i = (usize)blockIdx.x * blockDim.x + threadIdx.x;
  if (i < out_len) {
    if (i >= x_len) gr_panic(0, i, x_len); // unless proved
    if (i >= y_len) gr_panic(1, i, y_len); // unless proved
    out[i] = x[i] + y[i];
  }
}
