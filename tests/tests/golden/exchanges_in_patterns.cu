extern "C" __global__ void exchanges_in_patterns(const u32* __restrict__ x, usize x_len, u32* bins, gr_layout<2> bins_layout, u32* out, usize out_len) {
  gr_wait_for_previous();
  const usize k = (usize)blockIdx.x * blockDim.x + threadIdx.x;
  if (k < out_len) {
    if (k >= x_len) gr_panic(0, k, x_len); // unless proved
    u32 expected = x[k];
    while (true) {
      gr_round();
      if (k >= bins_layout.shape[0]) gr_panic(1, k, bins_layout.shape[0]); // unless proved
      if (1ull >= bins_layout.shape[1]) gr_panic(2, 1ull, bins_layout.shape[1]); // unless proved
      const gr_result<u32, u32> value = gr_atomic_exchange_result(&bins[bins_layout.offset(k, 1ull)], expected, expected + 1u);
      if (!(!value.ok)) break;
      const u32 now = value.error;
      expected = now;
    }
    u32 value_2;
    if (k >= bins_layout.shape[1]) gr_panic(4, k, bins_layout.shape[1]); // unless proved
    gr_fence<gr_device>();
    const gr_result<u32, u32> value_3 = gr_atomic_exchange_result(&bins[bins_layout.offset(0ull, k)], 0u, 5u);
    gr_fence<gr_device>();
    if (value_3.ok) {
      value_2 = 0u;
    } else {
      const u32 there = value_3.error;
      value_2 = there;
    }
    out[k] = value_2;
  }
}
