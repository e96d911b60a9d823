extern "C" __global__ void loops_with_values(const f32* __restrict__ a, usize a_len, f32* __restrict__ out, usize out_len) {
  gr_wait_for_previous();
  const usize i = (usize)blockIdx.x * blockDim.x + threadIdx.x;
  if (i < out_len) {
    if (i >= a_len) gr_panic(0, i, a_len); // unless proved
    f32 x = a[i];
    f32 root;
    while (true) {
      gr_round();
      const f32 next = 0.5f * (x + a[i] / x);
      if (fabsf(next - x) < 1e-6f) {
        root = next;
        break;
      }
      x = next;
    }
    out[i] = root;
  }
}
