static __device__ f32 mirrored(f32* exchange, usize exchange_len, f32 value) {
  const usize i = (usize)blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= exchange_len) gr_panic(0, i, exchange_len);
  exchange[i] = value;
  gr_sync_grid(1);
  return exchange[exchange_len - 1ull - i];
}

extern "C" __global__ void __launch_bounds__(64) grid_barrier(const f32* __restrict__ x, usize x_len, f32* exchange, usize exchange_len, f32* out, usize out_len, u32 steps, gr_grid* gr_launch) {
  gr_wait_for_previous();
  gr_begin_thread(gr_launch);
  __builtin_assume(threadIdx.x < 64);
  const usize i = (usize)blockIdx.x * (usize)64 + threadIdx.x;
  if (gr_leaves(i >= out_len)) return;
  if (i >= x_len) gr_panic(0, i, x_len); // unless proved
  f32 value = x[i];
  if (value < 0.0f) {
    out[i] = value;
    gr_end_thread<1>(); return;
  }
  for (u32 v_ = 0u; v_ < steps; v_++) {
    const f32 value_2 = mirrored(exchange, exchange_len, value);
    value += value_2;
    gr_sync_grid(2);
  }
  out[i] = value;
  gr_end_thread<2>();
}
