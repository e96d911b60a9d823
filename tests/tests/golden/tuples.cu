extern "C" __global__ void tuples(const f32* __restrict__ a, usize a_len, f32* __restrict__ out, usize out_len) {
  gr_wait_for_previous();
  const usize i = (usize)blockIdx.x * blockDim.x + threadIdx.x;
  if (i < out_len) {
    if (i >= a_len) gr_panic(0, i, a_len); // unless proved
    gr_tuple2<f32, i32> pair = gr_tuple2<f32, i32>{a[i], (i32)i};
    pair._0 += 1.0f;
    f32 x = 1.0f;
    f32 y = 2.0f;
    const f32 value = y;
    const f32 value_2 = x;
    x = value;
    y = value_2;
    const gr_tuple2<gr_tuple2<f32, f32>, i32> nested = gr_tuple2<gr_tuple2<f32, f32>, i32>{gr_tuple2<f32, f32>{x, y}, pair._1};
    const f32 value_3 = nested._0._1 + pair._0;
    const i32 value_4 = 3;
    out[i] = value_3;
    if (nested._1 > 2) {
      out[i] = nested._0._0;
    }
  }
}
