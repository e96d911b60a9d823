extern "C" __global__ void element_loops(const f32* __restrict__ x, usize x_len, const f32* __restrict__ y, usize y_len, const gr_array<f32, 2>* __restrict__ points, usize points_len, f32* __restrict__ out, usize out_len) {
  gr_wait_for_previous();
  const usize i = (usize)blockIdx.x * blockDim.x + threadIdx.x;
  if (i < out_len) {
    f32 sum = 0.0f;
    for (usize v_index = 0ull; v_index < x_len; v_index++) {
      const f32 v = x[v_index];
      sum += v;
    }
    usize index_next = gr_wrapping_sub(x_len, (usize)1);
    bool index_more = 0ull < x_len;
    while (index_more) {
      const usize index = index_next;
      index_more = gr_distance(0ull, index) >= 1;
      index_next = gr_step_back(index, 1);
      const usize k = index;
      const f32 v_2 = x[index];
      sum += v_2 * (f32)k;
    }
    const usize end = gr_min(x_len, y_len);
    for (usize index2 = 0ull; index2 < end; index2++) {
      const f32 a = x[index2];
      const f32 b = y[index2];
      sum -= a * b;
    }
    for (usize index3 = 0ull; index3 < points_len; index3++) {
      const gr_array<f32, 2> value = points[index3];
      const f32 px = value.data[0];
      const f32 py = value.data[1];
      sum += px * py;
    }
    gr_array<gr_tuple2<i32, i32>, 2> corners = gr_array<gr_tuple2<i32, i32>, 2>{{gr_tuple2<i32, i32>{(-1), 0}, gr_tuple2<i32, i32>{1, 0}}};
    {
      const gr_array<gr_tuple2<i32, i32>, 2> corners_elements = corners;
      for (usize index4 = 0ull; index4 < 2ull; index4++) {
        const gr_tuple2<i32, i32> value_2 = corners_elements[index4];
        const i32 dx = value_2._0;
        corners[0ull]._1 = gr_wrapping_add(corners[0ull]._1, dx);
      }
    }
    {
      const gr_tuple2<i32, i32> element = corners[0ull];
      corners[0ull] = corners[1ull];
      corners[1ull] = element;
    }
    out[i] = sum + (f32)corners[1ull]._1;
  }
}
