extern "C" __global__ void cache_hints(const f32* __restrict__ x, usize x_len, usize j, f32* __restrict__ out, usize out_len) {
  gr_wait_for_previous();
  const usize i = (usize)blockIdx.x * blockDim.x + threadIdx.x;
  if (i < out_len) {
    if (i >= x_len) gr_panic(0, i, x_len); // unless proved
    if (j >= x_len) gr_panic(1, j, x_len); // unless proved
    __stcs(&out[i], __ldcs(&x[i]) * __ldcg(&x[j]) + 1.0f);
  }
}
