extern "C" __global__ void transitions(const u8* __restrict__ text, u32 text_len, const i32* __restrict__ next, u32 next_len, i32* __restrict__ ends, u32 ends_len, i32 width) {
  gr_wait_for_previous();
  const u32 i = (u32)((usize)blockIdx.x * blockDim.x + threadIdx.x);
  if (i < (u32)(ends_len)) {
    i32 state = ends[i];
    while (state >= 0) {
      gr_round();
      const i32 value = gr_wrapping_sub((i32)i, width);
      const u32 index = (u32)(value);
      if (index >= text_len) gr_panic(1, (usize)(value), text_len);
      const u8 value_2 = text[(i32)(index)];
      const u32 index_2 = (u32)(state) * (u32)(256ull) + (u32)(value_2);
      if ((u32)(state) >= (u32)((2147483647ull + 256ull) / 256ull) || index_2 >= next_len) gr_panic(2, (usize)(state) * 256ull + (usize)(value_2), next_len);
      state = next[(i32)(index_2)];
    }
    const u32 last = (u32)((usize)next[i]);
    const u32 index_3 = (u32)(last);
    if (index_3 >= next_len) gr_panic(4, (usize)(i32)(last), next_len);
    const usize index_4 = 7ull + (usize)(i32)(last) * 4ull;
    if (index_4 >= next_len) gr_panic(5, index_4, next_len);
    ends[i] = gr_wrapping_add(next[(i32)(index_3)], next[(i32)(gr_low_half(index_4))]);
  }
}
