extern "C" __global__ void closures_of_values(const f32* __restrict__ a, gr_layout<2> a_layout, Reading origin, u32* counts, usize counts_len, Reading* out, usize out_len) {
  gr_wait_for_previous();
  const usize i = (usize)blockIdx.x * blockDim.x + threadIdx.x;
  const auto height = [&](const Reading reading) -> f32 {
    return reading.at[1ull] - origin.at[1ull];
  };
  const auto place = [&](const Reading reading_2) -> gr_array<f32, 2> {
    return reading_2.at;
  };
  const auto seen = [=](const u32 bin) -> gr_option<u32> {
    gr_option<u32> value_2;
    const usize index = (usize)bin;
    if (index >= counts_len) gr_panic(2, index, counts_len);
    const u32 value_3 = gr_atomic_add(&counts[index], origin.count);
    if (value_3 == 0u) {
      value_2 = gr_option<u32>{};
    } else {
      const u32 n = value_3;
      value_2 = gr_some<u32>(n);
    }
    return value_2;
  };
  const auto found = [&](const usize row) -> f32 {
    f32 value_4;
    {
      gr_print(3, (usize)(a_layout.shape[0]), (usize)(row));
      if (row >= a_layout.shape[0]) gr_panic(4, row, a_layout.shape[0]);
      if (1ull >= a_layout.shape[1]) gr_panic(5, 1ull, a_layout.shape[1]); // unless proved
      value_4 = a[a_layout.offset(row, 1ull)];
    }
    return value_4;
  };
  if (i < out_len) {
    u32 count;
    const gr_option<u32> value_5 = seen(3u);
    if (value_5.some) {
      const u32 value = value_5.value;
      count = value;
    } else {
      const u32 default_ = 7u;
      count = default_;
    }
    const gr_array<f32, 2> at = place(out[i]);
    const f32 value_7 = at[1ull];
    const f32 value_8 = height(out[i]);
    const f32 value_9 = found(i);
    Reading value_6;
    value_6.at = gr_array<f32, 2>{{value_7, value_8 + value_9}};
    value_6.count = count;
    out[i] = value_6;
  }
}
