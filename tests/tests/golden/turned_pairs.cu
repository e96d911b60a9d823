extern "C" __global__ void turned_pairs(const gr_tuple2<f32, f32>* __restrict__ x, usize x_len, gr_tuple2<f32, f32>* __restrict__ y, usize y_len, const gr_array<f32, 4>* __restrict__ points, usize points_len, f32* __restrict__ sums, usize sums_len) {
  gr_wait_for_previous();
  const usize i = (usize)blockIdx.x * blockDim.x + threadIdx.x;
  if (i < x_len && i < y_len) {
    y[i] = gr_tuple2<f32, f32>{x[i]._1, x[i]._0};
  }
  if (i < points_len && i < sums_len) {
    const gr_array<f32, 4> value = points[i];
    const f32 a = value.data[0];
    const f32 b = value.data[1];
    const f32 c = value.data[2];
    const f32 d = value.data[3];
    sums[i] = a + b + c + d;
  }
}
