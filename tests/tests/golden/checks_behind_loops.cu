extern "C" __global__ void checks_behind_loops(const u8* __restrict__ text, usize text_len, const u16* __restrict__ next, usize next_len, u32* __restrict__ out, usize out_len) {
  gr_wait_for_previous();
  const usize i = (usize)blockIdx.x * blockDim.x + threadIdx.x;
  if (i < out_len) {
    usize state = 0ull;
    u32 count = 0u;
    const usize state_before = state; // unless proved
    const u32 count_before = count; // unless proved
    bool inside = (usize)64ull - (usize)0ull <= 1048576 && next_len != 0 && text_len != 0; // unless proved
    usize most = 0; // unless proved
    usize most_2 = 0; // unless proved
    if (inside) { // unless proved
      for (gr_counter<64ull> k_next = 0; k_next < 64ull; k_next++) {
        const usize k = k_next;
        most_2 = gr_larger(most_2, k); // unless proved
        const usize index = state * 26ull + (usize)text[gr_clamped(k, text_len)];
        most = gr_larger(most, index); // unless proved
        state = (usize)next[gr_clamped(index, next_len)];
        if (state == 3ull) {
          count += 1u;
        }
      }
      inside &= most < next_len; // unless proved
      inside &= most_2 < text_len; // unless proved
    } // unless proved
    if (!inside) { // unless proved
      state = state_before; // unless proved
      count = count_before; // unless proved
      #pragma unroll 1 // unless proved
      for (gr_counter<64ull> k_next_2 = 0; k_next_2 < 64ull; k_next_2++) { // unless proved
        const usize k = k_next_2; // unless proved
        if (k >= text_len) gr_panic(0, k, text_len); // unless proved
        const usize index_2 = state * 26ull + (usize)text[k]; // unless proved
        if (index_2 >= next_len) gr_panic(1, index_2, next_len); // unless proved
        state = (usize)next[index_2]; // unless proved
        if (state == 3ull) { // unless proved
          count += 1u; // unless proved
        } // unless proved
      } // unless proved
    } // unless proved
    out[i] = count;
  }
}
