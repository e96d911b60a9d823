static __device__ f32 neighbour(f32 value) {
  alignas(16) __shared__ gr_array<f32, 64> values;
  gr_any_bytes(values);
  const usize t = (usize)threadIdx.x;
  if (t >= 64) gr_panic(0, t, 64);
  gr_racing(values[t]) = value;
  __syncthreads();
  return gr_racing(values[(t + 1ull) % 64ull]);
}

extern "C" __global__ void __launch_bounds__(64) shared_array_of_function(f32* out, usize out_len) {
  gr_wait_for_previous();
  __builtin_assume(threadIdx.x < 64);
  const usize i = (usize)blockIdx.x * (usize)64 + threadIdx.x;
  const auto value = neighbour((f32)i);
  const f32 value_2 = neighbour(value);
  if (i < out_len) {
    out[i] = value_2;
  }
}
