extern "C" __global__ void __launch_bounds__(64) copy_of_vectors(const gr_vector4<f32>* __restrict__ x, usize x_len, gr_vector4<f32>* __restrict__ y, usize y_len, const gr_vector2<f32>* __restrict__ from, usize from_len, gr_vector2<f32>* __restrict__ to, usize to_len) {
  gr_wait_for_previous();
  __builtin_assume(threadIdx.x < 64);
  alignas(16) __shared__ gr_array<gr_shared_element<gr_vector4<f32>>, 64> tile;
  gr_any_bytes(tile);
  const usize i = (usize)blockIdx.x * (usize)64 + threadIdx.x;
  const usize t = (usize)threadIdx.x;
  if (i < x_len && i < y_len) {
    tile[t] = x[i];
  }
  __syncthreads();
  if (i < y_len) {
    y[i] = tile[63ull - t];
  }
  if (i < from_len && i < to_len) {
    to[i] = from[i];
  }
}
