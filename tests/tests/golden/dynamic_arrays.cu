static __device__ f32 total(const f32* values, usize values_len) {
  f32 sum = 0.0f;
  for (usize i = 0ull; i < values_len; i++) {
    sum += values[i];
  }
  return sum;
}

extern "C" __global__ void dynamic_arrays(const f32* __restrict__ x, usize x_len, u32* bins, usize bins_len, f32* out, usize out_len) {
  gr_wait_for_previous();
  gr_array<f32, 33>* const tile = (gr_array<f32, 33>*)gr_dynamic;
  const usize tile_len = (usize)blockDim.y;
  const usize gr_dynamic_1 = (tile_len * sizeof(gr_array<f32, 33>) + 15) / 16 * 16;
  u32* const own = (u32*)(gr_dynamic + gr_dynamic_1);
  const usize own_len = bins_len + 1ull;
  const usize gr_dynamic_2 = gr_dynamic_1 + (own_len * sizeof(u32) + 15) / 16 * 16;
  f32* const sums = (f32*)(gr_dynamic + gr_dynamic_2);
  const usize sums_len = (usize)blockDim.x * 2ull;
  const gr_dim3 t = gr_dim3{threadIdx.x, threadIdx.y, threadIdx.z};
  const usize index = t.x;
  if (index >= x_len) gr_panic(0, index, x_len); // unless proved
  gr_racing(tile[t.y][t.x % 33ull]) = x[index];
  const usize index_2 = t.x;
  if (index_2 >= own_len) gr_panic(4, index_2, own_len); // unless proved
  gr_atomic_store(&own[index_2], 0u);
  sums[t.x] = 0.5f;
  __syncthreads();
  if (own_len > 4ull) {
    const usize index_3 = t.y;
    if (index_3 >= 33) gr_panic(9, index_3, 33); // unless proved
    const f32 value = sums[t.x + 1ull] + gr_racing(tile[0ull][index_3]);
    const f32 value_2 = total(sums, sums_len);
    const usize index_4 = t.x;
    if (index_4 >= out_len) gr_panic(10, index_4, out_len); // unless proved
    out[index_4] = value + value_2;
  }
  const usize value_3 = t.x;
  if (value_3 >= bins_len) gr_panic(11, value_3, bins_len); // unless proved
  const u32 value_4 = gr_atomic_load(&own[t.x]);
  gr_atomic_add(&bins[value_3], value_4);
}
