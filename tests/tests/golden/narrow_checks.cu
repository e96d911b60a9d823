extern "C" __global__ void words(const u8* __restrict__ text, u32 text_len, const u8* __restrict__ next, u32 next_len, u8* __restrict__ ends, u32 ends_len, u32 pieces) {
  gr_wait_for_previous();
  const u32 piece = (u32)((usize)blockIdx.x * blockDim.x + threadIdx.x);
  if (piece < pieces) {
    u32 state = 0u;
    const u32 state_before = state;
    bool inside = (usize)16u - (usize)0u <= 1048576 && text_len != 0 && next_len != 0;
    u32 most_2 = 0;
    if (inside) {
      for (gr_counter<16u> i_next = 0; i_next < 16u; i_next++) {
        const u32 i = i_next;
        const u32 index = i * pieces + piece;
        const u32 letter = (u32)((usize)text[index]);
        const u32 index_2 = state * 32u + letter;
        most_2 = gr_larger(most_2, index_2);
        state = (u32)((usize)next[(i32)(gr_clamped(index_2, next_len))]);
      }
      inside &= most_2 < next_len;
    }
    if (!inside) {
      state = state_before;
      #pragma unroll 1
      for (gr_counter<16u> i_next_2 = 0; i_next_2 < 16u; i_next_2++) {
        const u32 i = i_next_2;
        const u32 index_3 = gr_small_add(gr_small_mul(i, pieces), piece);
        const u32 letter = (u32)((usize)text[(i32)(index_3)]);
        const u32 index_4 = gr_small_add(gr_small_mul(state, 32u), letter);
        if (index_4 >= next_len) gr_panic(1, index_4, next_len);
        state = (u32)((usize)next[(i32)(index_4)]);
      }
    }
    ends[piece] = (u8)state;
  }
}
