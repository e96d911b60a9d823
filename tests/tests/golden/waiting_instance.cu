template <class gr_f1> static __device__ f32 neighbour(f32 value, gr_f1 f) {
  alignas(16) __shared__ gr_array<gr_shared_element<f32>, 32ull> tile;
  gr_any_bytes(tile);
  const usize t = (usize)threadIdx.x;
  const f32 value_2 = f(value);
  if (t >= 32ull) gr_panic(0, t, 32ull);
  tile[t] = value_2;
  __syncthreads();
  return gr_racing_copy(tile[(t + 1ull) % 32ull]);
}

extern "C" __global__ void __launch_bounds__(32u, 4) waiting_instance(const f32* __restrict__ x, gr_layout<1> x_layout, u32* counts, usize counts_len, f32* out, usize out_len) {
  gr_wait_for_previous();
  __builtin_assume(threadIdx.x < 32u);
  const usize i = (usize)blockIdx.x * (usize)32ull + threadIdx.x;
  if (i >= x_layout.shape[0]) gr_panic(0, i, x_layout.shape[0]); // unless proved
  const auto closure = [&](const f32 v) -> f32 {
    return gr_wrapping_add(v, 1.0f);
  };
  const f32 next = neighbour(x[x_layout.offset(i)], closure);
  #pragma unroll (32u)
  for (u32 k = 0u; k < 32u; k++) {
    const usize index = (usize)k;
    if (index >= counts_len) gr_panic(1, index, counts_len); // unless proved
    gr_atomic_max(&counts[index], k);
  }
  if (i < out_len) {
    out[i] = next;
  }
}
