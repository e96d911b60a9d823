extern "C" __global__ void while_loops(const u32* __restrict__ a, usize a_len, u32* __restrict__ out, usize out_len) {
  gr_wait_for_previous();
  const usize i = (usize)blockIdx.x * blockDim.x + threadIdx.x;
  if (i < out_len) {
    if (i >= a_len) gr_panic(0, i, a_len); // unless proved
    u32 n = a[i];
    u32 steps = 0u;
    while (n > 1u && steps < 1000u) {
      gr_round();
      if (n % 2u == 0u) {
        n = n / 2u;
      } else {
        n = 3u * n + 1u;
      }
      steps += 1u;
    }
    usize k = 0ull;
    while (true) {
      gr_round();
      if (k >= a_len) gr_panic(3, k, a_len);
      if (!(a[k] != 0u)) break;
      k += 1ull;
    }
    out[i] = steps + (u32)k;
  }
}
