// Products of tiles of 16-bit floats by the tensor cores: mma.sync of 16 rows, 8 columns and 16 products a sum.
#ifdef __CUDACC_RTC__
#if __CUDA_ARCH__ >= 800
// Each lane names a row of eight numbers, of four pieces of eight rows or of two.
static __device__ __forceinline__ void gr_tile_rows_of_a(u32 (&a)[4], const void* row) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(a[0]), "=r"(a[1]), "=r"(a[2]), "=r"(a[3]) : "r"(gr_tile_place_of(row)) : "memory");
}
static __device__ __forceinline__ void gr_tile_rows_of_b(u32 (&b)[4], const void* row) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(b[0]), "=r"(b[1]), "=r"(b[2]), "=r"(b[3]) : "r"(gr_tile_place_of(row)) : "memory");
}
static __device__ __forceinline__ void gr_tile_rows_of_b(u32 (&b)[2], const void* row) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0, %1}, [%2];" : "=r"(b[0]), "=r"(b[1]) : "r"(gr_tile_place_of(row)) : "memory");
}
#define GR_TILE_PRODUCTS(T, TYPE) \
  template <> struct gr_tile_products<T> { \
    static __device__ __forceinline__ void multiply(f32* d, const u32 (&a)[4], u32 b0, u32 b1) { \
      asm volatile("mma.sync.aligned.m16n8k16.row.col.f32." TYPE "." TYPE ".f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};" \
                   : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]) : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1)); \
    } \
    template <u32 R, u32 STEP, u32 C, u32 N> static __device__ __forceinline__ void add(gr_tile<f32, R, C, N>& sum, gr_tile_part<T, R, STEP> a, gr_tile_part<T, STEP, C> b) { \
      typedef gr_tile_shape<R, C, N> shape; \
      constexpr u32 rows = shape::rows::pieces, width = shape::pieces < 2 ? 1 : 2; \
      const u32 lane = threadIdx.x % 32, warp = threadIdx.x / 32; \
      const u32 first_piece = warp / shape::rows::warps % shape::warps * shape::pieces; \
      _Pragma("unroll") for (u32 k = 0; k < STEP; k += 16) { \
        u32 of_a[rows][4]; \
        _Pragma("unroll") for (u32 i = 0; i < rows; i++) gr_tile_rows_of_a(of_a[i], a.piece(shape::rows::first(i) + lane % 16, k / 8 + lane / 16)); \
        _Pragma("unroll") for (u32 j = 0; j < shape::pieces; j += width) { \
          u32 of_b[2 * width]; \
          gr_tile_rows_of_b(of_b, b.piece(k + lane % 16, first_piece + j + (width == 2 ? lane / 16 : 0))); \
          _Pragma("unroll") for (u32 i = 0; i < rows; i++) { \
            multiply(sum.values + (i * shape::pieces + j) * 4, of_a[i], of_b[0], of_b[1]); \
            if constexpr (width == 2) multiply(sum.values + (i * shape::pieces + j + 1) * 4, of_a[i], of_b[2], of_b[3]); \
          } \
        } \
      } \
    } \
  };
GR_TILE_PRODUCTS(gr_f16, "f16")
GR_TILE_PRODUCTS(gr_bf16, "bf16")
#undef GR_TILE_PRODUCTS
#endif
#endif
