extern "C" __global__ void taken_apart(const u32* __restrict__ a, usize a_len, bool b, u32* __restrict__ out, usize out_len) {
  gr_wait_for_previous();
  const usize i = (usize)blockIdx.x * blockDim.x + threadIdx.x;
  if (i < out_len) {
    u32 value;
    if (i >= a_len) gr_panic(0, i, a_len); // unless proved
    const u32 value_2 = a[i];
    if ((value_2 == 0u && b) || value_2 == 7u) {
      value = 1u;
    } else if ((value_2 == 2u || value_2 == 3u) && !b) {
      const u32 n = value_2;
      value = n;
    } else if (b) {
      const u32 k = value_2;
      value = k * 2u;
    } else {
      value = 4u;
    }
    out[i] = value;
    const gr_tuple2<gr_array<u32, 3>, gr_tuple2<f32, bool>> pair = gr_tuple2<gr_array<u32, 3>, gr_tuple2<f32, bool>>{gr_array<u32, 3>{{a[i], 2u, 3u}}, gr_tuple2<f32, bool>{1.5f, b}};
    if (pair._0.data[0] == 1u && pair._1._1) {
      const u32 last = pair._0.data[2];
      out[i] += last;
    }
    const gr_array<u32, 3> value_3 = pair._0;
    const u32 first = value_3.data[0];
    out[i] += first;
    u32 value_4;
    {
      const u32 x = (pair._0.data[1] == 2u ? pair._0.data[0] : pair._0.data[2]);
      value_4 = x;
    }
    out[i] += value_4;
  }
}
