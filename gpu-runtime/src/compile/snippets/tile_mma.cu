// Products of tiles of 16-bit floats by the tensor cores: mma.sync of 16 rows, 8 columns and 16 products a sum.
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
#define GR_TILE_MULTIPLY(T, TYPE) \
  static __device__ __forceinline__ void gr_tile_multiply(T, f32* d, const u32 (&a)[4], u32 b0, u32 b1) { \
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32." TYPE "." TYPE ".f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};" \
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]) : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1)); \
  }
GR_TILE_MULTIPLY(gr_f16, "f16")
GR_TILE_MULTIPLY(gr_bf16, "bf16")
#undef GR_TILE_MULTIPLY
// Both operands are wanted in pairs along the sum: where they lie across it, they are read transposed.
template <class T> struct gr_tile_mma_products {
  static constexpr u32 kind = 2;
  template <u32 R, u32 STEP, u32 N, bool IS_TRANSPOSED> static __device__ __forceinline__ void read(u32 (&x)[4], gr_tile_operand<T, R, STEP, IS_TRANSPOSED> a, u32 i, u32 k) {
    const u32 row = gr_tile_rows_of<R, N>::first(i), lane = threadIdx.x % 32;
    gr_tile_read<IS_TRANSPOSED>(x, IS_TRANSPOSED ? a.memory.piece(k + lane % 8 + lane / 16 * 8, row / 8 + lane / 8 % 2) : a.memory.piece(row + lane % 16, k / 8 + lane / 16));
  }
  template <u32 R, u32 STEP, u32 N> static __device__ __forceinline__ void read(u32 (&x)[4], const gr_tile_packed<T, R, STEP, N>& a, u32 i, u32 k) {
#pragma unroll
    for (u32 at = 0; at < 4; at++) x[at] = a.of(i, k)[at];
  }
  template <class A, u32 R, u32 STEP, u32 C, u32 N, bool IS_B_TRANSPOSED>
  static __device__ __forceinline__ void add(gr_tile<f32, R, C, N>& sum, const A& a, gr_tile_operand<T, STEP, C, IS_B_TRANSPOSED> b) {
    typedef gr_tile_shape<R, C, N> shape;
    constexpr u32 rows = shape::rows::pieces, width = shape::pieces < 2 ? 1 : 2;
    const u32 lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    const u32 first_piece = warp / shape::rows::warps % shape::warps * shape::pieces;
#pragma unroll
    for (u32 k = 0; k < STEP; k += 16) {
      u32 of_a[rows][4];
#pragma unroll
      for (u32 i = 0; i < rows; i++) read<R, STEP, N>(of_a[i], a, i, k);
#pragma unroll
      for (u32 j = 0; j < shape::pieces; j += width) {
        const u32 piece = first_piece + j, second = width == 2 ? lane / 16 : 0;
        u32 of_b[2 * width];
        gr_tile_read<!IS_B_TRANSPOSED>(of_b, IS_B_TRANSPOSED ? b.memory.piece((piece + second) * 8 + lane % 8, k / 8 + lane / 8 % 2)
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
#endif
#endif
