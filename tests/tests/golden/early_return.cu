extern "C" __global__ void early_return(const f32* __restrict__ a, usize a_len, f32* __restrict__ out, usize out_len) {
  gr_wait_for_previous();
  const usize i = (usize)blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= out_len) {
    return;
  }
  f32 x;
  if (i >= a_len) gr_panic(0, i, a_len); // unless proved
  if (a[i] > 0.0f) {
    x = a[i];
  } else {
    return;
  }
  out[i] = logf(x);
}
