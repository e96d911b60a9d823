extern "C" __global__ void counted_loops(const i32* __restrict__ starts, usize starts_len, const i32* __restrict__ edges, usize edges_len, const i32* __restrict__ cost, usize cost_len, i32* __restrict__ out, usize out_len) {
  gr_wait_for_previous();
  const usize i = (usize)blockIdx.x * blockDim.x + threadIdx.x;
  if (i < out_len) {
    if (i >= starts_len) gr_panic(0, i, starts_len); // unless proved
    i32 best = 2147483647;
    i32 e = starts[i];
    const usize index = i + 1ull;
    if (index >= starts_len) gr_panic(1, index, starts_len); // unless proved
    const i32 end = starts[index];
    i32 e_2_next = e;
    for (; e_2_next < end && gr_distance(e_2_next, end) >= 8; e_2_next += 8) {
      if ((e_2_next < 0 ? ~0ull : (usize)(e_2_next + (8 - 1))) >= edges_len) break;
      i32 ahead[8];
      u32 most = 0;
      #pragma unroll
      for (u32 step = 0; step < 8; step++) {
        const i32 e_2 = (i32)(e_2_next + step);
        ahead[step] = edges[(usize)e_2_next + step];
        most = gr_larger(most, (u32)ahead[step]);
      }
      if ((usize)(i32)most >= cost_len) break;
      #pragma unroll
      for (u32 step_2 = 0; step_2 < 8; step_2++) {
        const i32 e_2 = (i32)(e_2_next + step_2);
        best = gr_min(best, cost[(usize)ahead[step_2]]);
        e = e_2 + 1;
      }
    }
    for (; e_2_next < end && gr_distance(e_2_next, end) >= 4; e_2_next += 4) {
      if ((e_2_next < 0 ? ~0ull : (usize)(e_2_next + (4 - 1))) >= edges_len) break;
      i32 ahead_2[4];
      u32 most_2 = 0;
      #pragma unroll
      for (u32 step_3 = 0; step_3 < 4; step_3++) {
        const i32 e_2 = (i32)(e_2_next + step_3);
        ahead_2[step_3] = edges[(usize)e_2_next + step_3];
        most_2 = gr_larger(most_2, (u32)ahead_2[step_3]);
      }
      if ((usize)(i32)most_2 >= cost_len) break;
      #pragma unroll
      for (u32 step_4 = 0; step_4 < 4; step_4++) {
        const i32 e_2 = (i32)(e_2_next + step_4);
        best = gr_min(best, cost[(usize)ahead_2[step_4]]);
        e = e_2 + 1;
      }
    }
    #pragma unroll 1
    for (i32 e_2 = e_2_next; e_2 < end; e_2++) {
      const usize index_2 = (usize)(e_2);
      if (index_2 >= edges_len) gr_panic(2, index_2, edges_len);
      const i32 value = edges[index_2];
      const usize index_3 = (usize)(value);
      if (index_3 >= cost_len) gr_panic(3, index_3, cost_len);
      best = gr_min(best, cost[index_3]);
      e = e_2 + 1;
    }
    const i32 start = starts[i];
    const usize last = start < 0 ? ~0ull : (usize)end - 1;
    if (last < out_len) {
      for (i32 k = start; k < end; k++) {
        out[(usize)k] = gr_wrapping_add(out[(usize)k], 1);
      }
    } else {
      #pragma unroll 1
      for (i32 k = start; k < end; k++) {
        const usize index_4 = (usize)(k);
        if (index_4 >= out_len) gr_panic(5, index_4, out_len);
        out[index_4] = gr_wrapping_add(out[index_4], 1);
      }
    }
    usize k_2 = 0ull;
    while (k_2 < out_len) {
      gr_round();
      if (best == 3) {
        k_2 += 2ull;
        continue;
      }
      k_2 += 1ull;
    }
    out[i] = best;
  }
}
