static __device__ bool claim(bool* flags, usize flags_len, usize i) {
  if (i >= flags_len) gr_panic(0, i, flags_len);
  const bool value = gr_atomic_swap(&flags[i], true);
  gr_fence<gr_device>();
  return !value;
}

extern "C" __global__ void atomics_in_shared_memory_(bool* flags, usize flags_len, u32* out, usize out_len) {
  gr_wait_for_previous();
  __shared__ gr_array<u32, 1> lock;
  gr_any_bytes(lock);
  __shared__ gr_array<gr_array<u32, 8>, 2> rows;
  gr_any_bytes(rows);
  const usize t = (usize)threadIdx.x;
  gr_atomic_store<gr_block>(&lock[0ull], 0u);
  gr_atomic_store<gr_block>(&rows[t % 2ull][t % 8ull], 0u);
  __syncthreads();
  while (true) {
    gr_round();
    const bool value = (!gr_atomic_compare_exchange<gr_block>(&lock[0ull], 0u, 1u));
    gr_fence<gr_block>();
    if (!value) break;
    gr_spin_loop();
  }
  const bool value_2 = claim(flags, flags_len, t);
  bool condition = value_2;
  if (condition) {
    const bool value_3 = gr_atomic_compare_exchange<gr_block>(&rows[0ull][0ull], 0u, 5u);
    condition = value_3;
  }
  if (condition) {
    gr_atomic_add<gr_block>(&rows[1ull][t % 8ull], 1u);
  }
  gr_fence<gr_block>();
  gr_atomic_store<gr_block>(&lock[0ull], 0u);
  const u32 value_4 = gr_atomic_load(&rows[1ull][0ull]);
  const usize index = (usize)blockIdx.x * blockDim.x + threadIdx.x;
  if (index >= out_len) gr_panic(16, index, out_len); // unless proved
  out[index] = value_4;
}
