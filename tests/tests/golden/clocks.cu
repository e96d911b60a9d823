extern "C" __global__ void clocks(u64* out, usize out_len) {
  gr_wait_for_previous();
  const usize i = (usize)blockIdx.x * blockDim.x + threadIdx.x;
  if (i < out_len) {
    const u64 start = gr_clock_cycles();
    gr_nanosleep(50u);
    const u64 value = gr_clock_cycles();
    const u64 value_2 = value - start;
    const u64 value_3 = gr_global_timer_ns();
    out[i] = value_2 + value_3;
  }
}
