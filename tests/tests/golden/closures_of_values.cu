extern "C" __global__ void closures_of_values(const f32* __restrict__ a, gr_layout<2> a_layout, Reading origin, u32* counts, usize counts_len, Reading* out, usize out_len) {
  const usize i = (usize)blockIdx.x * blockDim.x + threadIdx.x;
  const auto height = [&](const Reading reading) -> f32 {
    if (1ull >= reading.at.length) gr_panic(0, 1ull, reading.at.length);
    const f32 value_2 = reading.at[1ull];
    if (1ull >= origin.at.length) gr_panic(1, 1ull, origin.at.length);
    const f32 value_3 = origin.at[1ull];
    return gr_wrapping_sub(value_2, value_3);
  };
  const auto place = [&](const Reading reading_2) -> decltype(Reading::at) {
    return reading_2.at;
  };
  const auto seen = [=](const u32 bin) -> gr_option<u32> {
    gr_option<u32> value_4;
    const usize index = (usize)bin;
    if (index >= counts_len) gr_panic(2, index, counts_len);
    const u32 value_5 = gr_atomic_add(&counts[index], origin.count);
    if (value_5 == 0u) {
      value_4 = gr_option<u32>{};
    } else {
      const u32 n = value_5;
      value_4 = gr_some<u32>(n);
    }
    return value_4;
  };
  const auto found = [&](const usize row) -> f32 {
    f32 value_6;
    {
      gr_print(3, (usize)(a_layout.shape[0]), (usize)(row));
      if (row >= a_layout.shape[0]) gr_panic(4, row, a_layout.shape[0]);
      if (1ull >= a_layout.shape[1]) gr_panic(5, 1ull, a_layout.shape[1]); // unless proved
      value_6 = a[a_layout.offset(row, 1ull)];
    }
    return value_6;
  };
  if (i < out_len) {
    u32 count;
    const gr_option<u32> value_7 = seen(3u);
    if (value_7.some) {
      const u32 value = value_7.value;
      count = value;
    } else {
      const u32 default_ = 7u;
      count = default_;
    }
    const decltype(Reading::at) at = place(out[i]);
    if (1ull >= at.length) gr_panic(7, 1ull, at.length);
    const f32 value_9 = at[1ull];
    const f32 value_10 = height(out[i]);
    const f32 value_11 = found(i);
    Reading value_8;
    value_8.at = gr_array<f32, 2>{{value_9, gr_wrapping_add(value_10, value_11)}};
    value_8.count = count;
    out[i] = value_8;
  }
}
