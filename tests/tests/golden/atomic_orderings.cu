extern "C" __global__ void atomic_orderings_(u32* flag, usize flag_len, u64* data, usize data_len, u16* small, usize small_len, u64* out, usize out_len) {
  gr_wait_for_previous();
  const usize i = (usize)blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= data_len) gr_panic(0, i, data_len); // unless proved
  const u64 value = (u64)i * 2ull;
  gr_fence<gr_device>();
  gr_atomic_store(&data[i], value);
  const u64 value_2 = gr_atomic_load(&data[0ull]);
  gr_fence<gr_device>();
  const u64 seen = value_2;
  if (i >= flag_len) gr_panic(2, i, flag_len); // unless proved
  gr_fence<gr_device>();
  gr_atomic_sub(&flag[i], 1u);
  gr_fence<gr_device>();
  gr_fence_sc<gr_device>();
  gr_atomic_or(&flag[i], 4u);
  gr_fence<gr_device>();
  if (i >= small_len) gr_panic(4, i, small_len); // unless proved
  const u16 value_3 = (u16)3;
  gr_fence<gr_block>();
  gr_atomic_xor<gr_block>(&small[i], value_3);
  gr_fence<gr_system>();
  gr_atomic_and<gr_system>(&data[i], seen);
  gr_fence<gr_system>();
  gr_fence_sc<gr_device>();
  const u64 value_4 = gr_atomic_cas(&data[i], seen, 7ull);
  gr_fence<gr_device>();
  u32 value_5;
  {
    value_5 = gr_atomic_load(&flag[i]);
  }
  if (i >= out_len) gr_panic(8, i, out_len); // unless proved
  out[i] = value_4 + (u64)value_5;
}
