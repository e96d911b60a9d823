extern "C" __global__ void own_parts(usize each, f32* __restrict__ out, usize out_len, f32* __restrict__ pairs, usize pairs_len) {
  gr_wait_for_previous();
  const usize i = (usize)blockIdx.x * blockDim.x + threadIdx.x;
  const usize first = i * each;
  const usize n = out_len;
  if (first < n) {
    {
      const usize first_start = first;
      const usize end = gr_min(first + each, n);
      if (first_start > out_len || end - first_start > out_len - first_start) gr_panic(0, 0, 0);
      const usize length = end - first_start;
      const usize end_2 = gr_saturating_sub(gr_div_ceil(length, 3ull), 1ull);
      for (usize part_index = 0ull; part_index < end_2; part_index++) {
        const usize end_3 = gr_min(3ull, length - (part_index + 1ull) * 3ull);
        for (usize index = 0ull; index < end_3; index++) {
          const usize index2 = first_start + (part_index + 1ull) * 3ull + index;
          f32& v = out[index2];
          const usize k = index;
          v = (f32)k;
        }
      }
    }
  }
  {
    const usize i_skip = i;
    const usize end_4 = gr_min(gr_saturating_sub(pairs_len / 2ull, i_skip), 1ull);
    for (usize pair_index = 0ull; pair_index < end_4; pair_index++) {
      pairs[(pair_index + i_skip) * 2ull + 1ull] = pairs[(pair_index + i_skip) * 2ull + 0ull];
      for (gr_counter<2ull> v_index_next = 0; v_index_next < 2ull; v_index_next++) {
        const usize v_index = v_index_next;
        const usize index3 = (pair_index + i_skip) * 2ull + v_index;
        f32& v_2 = pairs[index3];
        v_2 += 1.0f;
      }
    }
  }
}
