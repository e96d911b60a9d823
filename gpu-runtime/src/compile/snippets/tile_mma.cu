// Products of tiles by the tensor cores: mma.sync of 16 rows, 8 columns and as many products a sum as 32 bytes of a row have elements.
#ifdef __CUDACC_RTC__
#if __CUDA_ARCH__ >= 800
// Four or two matrices of eight rows and columns, whose rows the lanes name, eight lanes for each: as they lie, or transposed.
template <bool IS_TRANSPOSED> static __device__ __forceinline__ void gr_tile_read(u32 (&x)[4], const void* row) {
  const gr_tile_place place = gr_tile_place_of(row);
  if constexpr (IS_TRANSPOSED) {
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];" : "=r"(x[0]), "=r"(x[1]), "=r"(x[2]), "=r"(x[3]) : "r"(place) : "memory");
  } else {
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];" : "=r"(x[0]), "=r"(x[1]), "=r"(x[2]), "=r"(x[3]) : "r"(place) : "memory");
  }
}
template <bool IS_TRANSPOSED> static __device__ __forceinline__ void gr_tile_read(u32 (&x)[2], const void* row) {
  const gr_tile_place place = gr_tile_place_of(row);
  if constexpr (IS_TRANSPOSED) asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0, %1}, [%2];" : "=r"(x[0]), "=r"(x[1]) : "r"(place) : "memory");
  else asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0, %1}, [%2];" : "=r"(x[0]), "=r"(x[1]) : "r"(place) : "memory");
}
// A tile in the registers of warps that have whole rows of it, as instructions read it: in each word, two neighbours in a row.
template <class T, u32 R, u32 C, u32 N> struct gr_tile_packed {
  typedef gr_tile_shape<R, C, N> shape;
  u32 words[shape::count / 2];
  __device__ __forceinline__ explicit gr_tile_packed(const gr_tile<T, R, C, N>& tile) {
#pragma unroll
    for (u32 at = 0; at < shape::count / 2; at++) {
      // Volatile: ptxas (of CUDA 13.0) reuses the registers of an operand of wgmma that is computed before a loop.
      asm volatile("mov.b32 %0, {%1, %2};" : "=r"(words[at]) : "h"(tile.values[2 * at].bits), "h"(tile.values[2 * at + 1].bits));
    }
  }
  // Of 16 rows, the `i`th that the warp has, and 16 columns from `k` on.
  __device__ __forceinline__ const u32* of(u32 i, u32 k) const { return words + (i * shape::pieces + k / 8) * 2; }
};
#define GR_TILE_MULTIPLY(T, S, CONSTRAINT, TYPES) \
  static __device__ __forceinline__ void gr_tile_multiply(T, S* d, const u32 (&a)[4], u32 b0, u32 b1) { \
    asm volatile("mma.sync.aligned.m16n8" TYPES " {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};" \
                 : CONSTRAINT(d[0]), CONSTRAINT(d[1]), CONSTRAINT(d[2]), CONSTRAINT(d[3]) : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1)); \
  }
GR_TILE_MULTIPLY(gr_f16, f32, "+f", "k16.row.col.f32.f16.f16.f32")
GR_TILE_MULTIPLY(gr_bf16, f32, "+f", "k16.row.col.f32.bf16.bf16.f32")
GR_TILE_MULTIPLY(gr_tf32, f32, "+f", "k8.row.col.f32.tf32.tf32.f32")
GR_TILE_MULTIPLY(i8, i32, "+r", "k32.row.col.s32.s8.s8.s32")
#undef GR_TILE_MULTIPLY
// Both operands are wanted in words along the sum: where they lie across it, they are read transposed.
template <class T> struct gr_tile_mma_products {
  static constexpr u32 kind = 2, per_piece = 16 / sizeof(T);
  template <u32 R, u32 STEP, u32 N, bool IS_TRANSPOSED> static __device__ __forceinline__ void read(u32 (&x)[4], gr_tile_operand<T, R, STEP, IS_TRANSPOSED> a, u32 i, u32 k) {
    const u32 row = gr_tile_rows_of<R, N>::first(i), lane = threadIdx.x % 32;
    gr_tile_read<IS_TRANSPOSED>(x, IS_TRANSPOSED ? a.memory.piece(k + lane % 8 + lane / 16 * 8, row / 8 + lane / 8 % 2) : a.memory.piece(row + lane % 16, k / per_piece + lane / 16));
  }
  template <u32 R, u32 STEP, u32 N> static __device__ __forceinline__ void read(u32 (&x)[4], const gr_tile_packed<T, R, STEP, N>& a, u32 i, u32 k) {
#pragma unroll
    for (u32 at = 0; at < 4; at++) x[at] = a.of(i, k)[at];
  }
  template <class A, u32 R, u32 STEP, u32 C, u32 N, bool IS_B_TRANSPOSED>
  static __device__ __forceinline__ void add(gr_tile<gr_tile_sum<T>, R, C, N>& sum, const A& a, gr_tile_operand<T, STEP, C, IS_B_TRANSPOSED> b) {
    typedef gr_tile_shape<R, C, N> shape;
    constexpr u32 rows = shape::rows::pieces, width = shape::pieces < 2 ? 1 : 2;
    const u32 lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    const u32 first_piece = warp / shape::rows::warps % shape::warps * shape::pieces;
#pragma unroll
    for (u32 k = 0; k < STEP; k += 2 * per_piece) {
      u32 of_a[rows][4];
#pragma unroll
      for (u32 i = 0; i < rows; i++) read<R, STEP, N>(of_a[i], a, i, k);
#pragma unroll
      for (u32 j = 0; j < shape::pieces; j += width) {
        const u32 piece = first_piece + j, second = width == 2 ? lane / 16 : 0;
        u32 of_b[2 * width];
        gr_tile_read<!IS_B_TRANSPOSED>(of_b, IS_B_TRANSPOSED ? b.memory.piece((piece + second) * 8 + lane % 8, k / per_piece + lane / 8 % 2)
                                                             : b.memory.piece(k + lane % 16, piece + second));
#pragma unroll
        for (u32 i = 0; i < rows; i++) {
          gr_tile_multiply(T(), sum.values + (i * shape::pieces + j) * 4, of_a[i], of_b[0], of_b[1]);
          if constexpr (width == 2) gr_tile_multiply(T(), sum.values + (i * shape::pieces + j + 1) * 4, of_a[i], of_b[2], of_b[3]);
        }
      }
    }
  }
};
template <> struct gr_tile_products<gr_f16> : gr_tile_mma_products<gr_f16> {};
template <> struct gr_tile_products<gr_bf16> : gr_tile_mma_products<gr_bf16> {};
template <> struct gr_tile_products<gr_tf32> : gr_tile_mma_products<gr_tf32> {};
template <> struct gr_tile_products<i8> : gr_tile_mma_products<i8> {};
#endif
#if __CUDA_ARCH__ >= 900
// Of f64, each lane reads its numbers itself, in whichever order they lie.
template <> struct gr_tile_products<f64> {
  static constexpr u32 kind = 2;
  template <u32 R, u32 STEP, u32 C, u32 N, bool IS_A_TRANSPOSED, bool IS_B_TRANSPOSED>
  static __device__ __forceinline__ void add(gr_tile<f64, R, C, N>& sum, gr_tile_operand<f64, R, STEP, IS_A_TRANSPOSED> a, gr_tile_operand<f64, STEP, C, IS_B_TRANSPOSED> b) {
    typedef gr_tile_shape<R, C, N> shape;
    const u32 lane = threadIdx.x % 32, first_column = threadIdx.x / 32 / shape::rows::warps % shape::warps * (8 * shape::pieces);
#pragma unroll
    for (u32 k = 0; k < STEP; k += 8) {
      f64 of_a[shape::rows::pieces][4];
#pragma unroll
      for (u32 i = 0; i < shape::rows::pieces; i++) {
#pragma unroll
        for (u32 at = 0; at < 4; at++) of_a[i][at] = a.at(shape::rows::row(2 * i + at % 2), k + lane % 4 + at / 2 * 4);
      }
#pragma unroll
      for (u32 j = 0; j < shape::pieces; j++) {
        const u32 column = first_column + j * 8 + lane / 4;
        const f64 b0 = b.at(k + lane % 4, column), b1 = b.at(k + lane % 4 + 4, column);
#pragma unroll
        for (u32 i = 0; i < shape::rows::pieces; i++) {
          f64* const d = sum.values + (i * shape::pieces + j) * 4;
          asm volatile("mma.sync.aligned.m16n8k8.row.col.f64.f64.f64.f64 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
                       : "+d"(d[0]), "+d"(d[1]), "+d"(d[2]), "+d"(d[3]) : "d"(of_a[i][0]), "d"(of_a[i][1]), "d"(of_a[i][2]), "d"(of_a[i][3]), "d"(b0), "d"(b1));
        }
      }
    }
  }
};
#endif
#endif
