extern "C" __global__ void tuples_in_memory(gr_tuple2<f32, u32>* __restrict__ points, usize points_len, const gr_tuple3<u8, u64, u8>* __restrict__ tagged, usize tagged_len, gr_tuple2<f32, u32> by) {
  gr_wait_for_previous();
  alignas(16) __shared__ gr_array<gr_tuple2<f32, u32>, 32> best;
  gr_any_bytes(best);
  const usize i = (usize)blockIdx.x * blockDim.x + threadIdx.x;
  if (i < points_len) {
    if (i >= tagged_len) gr_panic(0, i, tagged_len); // unless proved
    const gr_tuple3<u8, u64, u8> value = tagged[i];
    const u8 tag = value._0;
    const u64 wide = value._1;
    points[i] = gr_tuple2<f32, u32>{points[i]._0 * by._0, (u32)wide};
    points[i]._1 += (u32)tag;
    const usize index = (usize)threadIdx.x;
    if (index >= 32) gr_panic(5, index, 32); // unless proved
    best[index] = points[i];
    const gr_tuple3<u8, u64, u8> copy = gr_tuple3<u8, u64, u8>{tag, wide, (u8)7};
    if (copy._2 > tagged[i]._2) {
      points[i] = gr_racing_copy(best[0ull]);
    }
  }
}
