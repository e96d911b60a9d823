extern "C" __global__ void double_operators(const f64* __restrict__ a, usize a_len, f64* __restrict__ out, usize out_len) {
  gr_wait_for_previous();
  const usize i = (usize)blockIdx.x * blockDim.x + threadIdx.x;
  if (i < out_len) {
    if (i >= a_len) gr_panic(0, i, a_len); // unless proved
    out[i] = fmod((a[i] + 0.1) * a[i], 3.0) - 1e-300;
  }
}
