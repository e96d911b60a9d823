static __device__ f32 from_first(f32 value) {
  alignas(16) __shared__ gr_array<gr_shared_element<f32>, 1> first;
  gr_any_bytes(first);
  if ((usize)threadIdx.x == 0ull) {
    first[0ull] = value;
  }
  __syncthreads();
  return gr_racing_copy(first[0ull]);
}

extern "C" __global__ void row_sums(const f32* __restrict__ x, usize x_len, const u8* __restrict__ n, usize n_len, f32* out, usize out_len) {
  gr_wait_for_previous();
  const usize i = (usize)blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= x_len) gr_panic(0, i, x_len); // unless proved
  const f32 sum = gr_warp_sum<f32>(x[i]);
  if (i >= n_len) gr_panic(2, i, n_len); // unless proved
  const gr_tuple2<u32, bool> value = gr_warp_match_all<u8>(n[i]);
  const u32 lanes = value._0;
  bool more = lanes != 0u;
  while (true) {
    gr_round();
    bool condition = more;
    if (condition) {
      const bool value_2 = gr_warp_any(x[i] > 0.0f);
      condition = value_2;
    }
    const bool value_3 = (bool)__syncthreads_or(condition);
    if (!value_3) break;
    more = false;
  }
  const f32 value_4 = from_first(sum);
  const f32 value_5 = gr_warp_shuffle_down<f32>(sum, 1ull, 4294967295u);
  if (i >= out_len) gr_panic(8, i, out_len); // unless proved
  out[i] = value_4 + value_5;
}
