static __device__ usize first_above(const u32* x, u32 x_len, u32 least);
static __device__ bool is_new(const u8* board_elements, usize board_length, u32 depth);
static __device__ u32 above_square(const u32* x, usize x_len, usize n);
static __device__ usize first_above_2(const u32* x, usize x_len, u32 least);

static __device__ usize first_above(const u32* x, u32 x_len, u32 least) {
  for (u32 i = 0u; i < (u32)(x_len); i++) {
    if (x[i] > least) {
      return i;
    }
  }
  return (u32)(x_len);
}

static __device__ bool is_new(const u8* board_elements, usize board_length, u32 depth) {
  const gr_array<u8, 8>& board = gr_whole<const gr_array<u8, 8>>(board_elements, board_length);
  if ((usize)depth <= 8 && (usize)(depth) < 8) {
    for (u32 row = 0u; row < depth; row++) {
      if (board[(i32)(row)] == board[(i32)(depth)]) {
        return false;
      }
    }
  } else {
    for (u32 row = 0u; row < depth; row++) {
      if (row >= 8) gr_panic(6, row, 8);
      if (depth >= 8) gr_panic(7, depth, 8);
      if (board[(i32)(row)] == board[(i32)(depth)]) {
        return false;
      }
    }
  }
  return true;
}

static __device__ u32 above_square(const u32* x, usize x_len, usize n) {
  const auto value = first_above_2(x, x_len, (u32)((n * n) >> 32));
  return gr_cast<u32>(value);
}

static __device__ usize first_above_2(const u32* x, usize x_len, u32 least) {
  for (usize i = 0ull; i < x_len; i++) {
    if (x[i] > least) {
      return i;
    }
  }
  return x_len;
}

extern "C" __global__ void narrow_functions(const u32* __restrict__ x, u32 x_len, u32* out, u32 out_len, u32 n) {
  gr_wait_for_previous();
  const u32 i = (u32)((usize)blockIdx.x * blockDim.x + threadIdx.x);
  if (i < (u32)(out_len)) {
    gr_array<u8, 8> board = gr_array<u8, 8>::repeat((u8)0);
    const u32 place = (u32)(first_above(x, x_len, 7));
    for (gr_counter<8u> depth_next = 0; depth_next < 8u; depth_next++) {
      const u32 depth = depth_next;
      board[(i32)(depth)] = (u8)(place * depth);
      const bool value = is_new(board.data, 8, depth);
      if (value && place < n) {
        const u32 value_2 = above_square(x, x_len, n);
        out[i] += value_2;
      }
    }
    const usize value_3 = (usize)(first_above(x, x_len, 3));
    if (value_3 >= x_len) gr_panic(3, value_3, x_len);
    out[i] += x[gr_low_half(value_3)];
    const usize value_4 = first_above(x, x_len, 9);
    out[i] += gr_cast<u32>(gr_wrapping_add(value_4, (usize)1));
  }
}
