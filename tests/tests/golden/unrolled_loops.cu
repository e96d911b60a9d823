extern "C" __global__ void __launch_bounds__(256, 2) unrolled_loops(u32 n, u32* __restrict__ out, usize out_len) {
  gr_wait_for_previous();
  const usize i = (usize)blockIdx.x * blockDim.x + threadIdx.x;
  if (i < out_len) {
    u32 sum = 0u;
    #pragma unroll
    for (u32 k = 0u; k < n; k++) {
      sum += k;
    }
    #pragma unroll (4u)
    while (sum > 100u) {
      gr_round();
      sum = sum / 2u;
    }
    u32 k_2_next = gr_wrapping_sub(n, (u32)1);
    bool k_2_more = 0u < n;
    #pragma unroll (1)
    while (k_2_more) {
      const u32 k_2 = k_2_next;
      k_2_more = gr_distance(0u, k_2) >= 1;
      k_2_next = gr_step_back(k_2, 1);
      sum ^= k_2;
    }
    out[i] = sum;
  }
}
