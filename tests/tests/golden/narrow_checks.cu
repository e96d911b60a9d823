extern "C" __global__ void words(const u8* __restrict__ text, u32 text_len, const u8* __restrict__ next, u32 next_len, u8* __restrict__ ends, u32 ends_len, u32 pieces) {
  const u32 piece = (u32)((usize)blockIdx.x * blockDim.x + threadIdx.x);
  if (piece < pieces) {
    u32 state = 0u;
    for (gr_counter<16u> i_next = 0; i_next < 16u; i_next++) {
      const u32 i = i_next;
      const u32 index = i * pieces + piece;
      const u32 letter = (u32)((usize)text[index]);
      const u32 index_2 = state * 32u + letter;
      if (index_2 >= next_len) gr_panic(1, index_2, next_len);
      state = (u32)((usize)next[index_2]);
    }
    ends[piece] = (u8)state;
  }
}
