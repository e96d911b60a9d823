// Products of tiles by wgmma: groups of four warps multiply 64 rows with all columns, both from shared memory, while their threads go on.
#ifdef __CUDA_ARCH_FEAT_SM90_ALL
// How wgmma finds the numbers of an operand in a part of shared memory, whose rows are 128, 64 or 32 bytes long. A row of the part is along the
// sum, or across it; then `group` bytes are between those numbers across that do not fit into a row.
template <class Part, bool IS_ACROSS> struct gr_tile_along {
  static constexpr u32 row = Part::width * 16, of_row = Part::bytes / (Part::pieces / Part::width), group = IS_ACROSS ? of_row : 16;
  static constexpr u32 per_row = Part::width * Part::per_piece, bytes_each = 16 / Part::per_piece;
  static constexpr u32 swizzle = row == 128 ? 1 : row == 64 ? 2 : 3;
  static __device__ __forceinline__ u64 descriptor(gr_tile_place first) {
    return (u64)(first >> 4) | (u64)(group >> 4) << 16 | (u64)(8 * row >> 4) << 32 | (u64)swizzle << 62;
  }
  // From the first number to the one so many further across the sum, in whole rows of the part, and so many along it.
  static __device__ __forceinline__ constexpr u32 place(u32 across, u32 along) {
    return IS_ACROSS ? across / per_row * group + along * row : across * row + along / per_row * of_row + along % per_row * bytes_each;
  }
};
template <class T, u32 COLUMNS> struct gr_tile_wgmma;
// From A on are the numbers of the operands after the sum: two descriptors, and whether the operands lie across the sum; or the first operand in
// registers, the descriptor of the second, and whether that lies across. Then whether the products are added, or are all there is.
#define GR_TILE_WGMMA_OF_HALVES(T, TYPE, COLUMNS, REGISTERS, A, B, C, D, E, F, G, OUTPUTS) \
  template <> struct gr_tile_wgmma<T, COLUMNS> { \
    template <u32 IS_A_ACROSS, u32 IS_B_ACROSS> static __device__ __forceinline__ void add(f32* d, u64 a, u64 b, bool adds) { \
      asm volatile("{ .reg .pred p; setp.ne.u32 p, %" #E ", 0; wgmma.mma_async.sync.aligned.m64n" #COLUMNS "k16.f32." TYPE "." TYPE " {" REGISTERS "}, %" #A ", %" #B ", p, 1, 1, %" #C ", %" #D "; }" \
                   : OUTPUTS("+f") : "l"(a), "l"(b), "n"(IS_A_ACROSS), "n"(IS_B_ACROSS), "r"((u32)adds)); \
    } \
    template <u32 IS_B_ACROSS> static __device__ __forceinline__ void add(f32* d, const u32* a, u64 b, bool adds) { \
      asm volatile("{ .reg .pred p; setp.ne.u32 p, %" #G ", 0; wgmma.mma_async.sync.aligned.m64n" #COLUMNS "k16.f32." TYPE "." TYPE " {" REGISTERS "}, {%" #A ", %" #B ", %" #C ", %" #D "}, %" #E ", p, 1, 1, %" #F "; }" \
                   : OUTPUTS("+f") : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b), "n"(IS_B_ACROSS), "r"((u32)adds)); \
    } \
  };
// The same of operands that are read along the sum only.
#define GR_TILE_WGMMA_ALONG(T, S, CONSTRAINT, TYPES, SIGNS, COLUMNS, REGISTERS, A, B, C, D, E, F, OUTPUTS) \
  template <> struct gr_tile_wgmma<T, COLUMNS> { \
    template <u32 IS_A_ACROSS, u32 IS_B_ACROSS> static __device__ __forceinline__ void add(S* d, u64 a, u64 b, bool adds) { \
      asm volatile("{ .reg .pred p; setp.ne.u32 p, %" #C ", 0; wgmma.mma_async.sync.aligned.m64n" #COLUMNS TYPES " {" REGISTERS "}, %" #A ", %" #B ", p" SIGNS "; }" \
                   : OUTPUTS(CONSTRAINT) : "l"(a), "l"(b), "r"((u32)adds)); \
    } \
    static __device__ __forceinline__ void add(S* d, const u32* a, u64 b, bool adds) { \
      asm volatile("{ .reg .pred p; setp.ne.u32 p, %" #F ", 0; wgmma.mma_async.sync.aligned.m64n" #COLUMNS TYPES " {" REGISTERS "}, {%" #A ", %" #B ", %" #C ", %" #D "}, %" #E ", p" SIGNS "; }" \
                   : OUTPUTS(CONSTRAINT) : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b), "r"((u32)adds)); \
    } \
  };
#define GR_TILE_OUTPUTS_8(X, N) X(d[N]), X(d[N + 1]), X(d[N + 2]), X(d[N + 3]), X(d[N + 4]), X(d[N + 5]), X(d[N + 6]), X(d[N + 7])
#define GR_TILE_OUTPUTS_16(X) GR_TILE_OUTPUTS_8(X, 0)
#define GR_TILE_OUTPUTS_32(X) GR_TILE_OUTPUTS_8(X, 0), GR_TILE_OUTPUTS_8(X, 8)
#define GR_TILE_OUTPUTS_64(X) GR_TILE_OUTPUTS_8(X, 0), GR_TILE_OUTPUTS_8(X, 8), GR_TILE_OUTPUTS_8(X, 16), GR_TILE_OUTPUTS_8(X, 24)
#define GR_TILE_OUTPUTS_128(X) GR_TILE_OUTPUTS_8(X, 0), GR_TILE_OUTPUTS_8(X, 8), GR_TILE_OUTPUTS_8(X, 16), GR_TILE_OUTPUTS_8(X, 24), GR_TILE_OUTPUTS_8(X, 32), GR_TILE_OUTPUTS_8(X, 40), GR_TILE_OUTPUTS_8(X, 48), GR_TILE_OUTPUTS_8(X, 56)
#define GR_TILE_OUTPUTS_256(X) GR_TILE_OUTPUTS_8(X, 0), GR_TILE_OUTPUTS_8(X, 8), GR_TILE_OUTPUTS_8(X, 16), GR_TILE_OUTPUTS_8(X, 24), GR_TILE_OUTPUTS_8(X, 32), GR_TILE_OUTPUTS_8(X, 40), GR_TILE_OUTPUTS_8(X, 48), GR_TILE_OUTPUTS_8(X, 56), GR_TILE_OUTPUTS_8(X, 64), GR_TILE_OUTPUTS_8(X, 72), GR_TILE_OUTPUTS_8(X, 80), GR_TILE_OUTPUTS_8(X, 88), GR_TILE_OUTPUTS_8(X, 96), GR_TILE_OUTPUTS_8(X, 104), GR_TILE_OUTPUTS_8(X, 112), GR_TILE_OUTPUTS_8(X, 120)
#define GR_TILE_REGISTERS_16 "%0, %1, %2, %3, %4, %5, %6, %7"
#define GR_TILE_REGISTERS_32 "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15"
#define GR_TILE_REGISTERS_64 "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31"
#define GR_TILE_REGISTERS_128 "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, %32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, %48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63"
#define GR_TILE_REGISTERS_256 "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, %32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, %48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63, %64, %65, %66, %67, %68, %69, %70, %71, %72, %73, %74, %75, %76, %77, %78, %79, %80, %81, %82, %83, %84, %85, %86, %87, %88, %89, %90, %91, %92, %93, %94, %95, %96, %97, %98, %99, %100, %101, %102, %103, %104, %105, %106, %107, %108, %109, %110, %111, %112, %113, %114, %115, %116, %117, %118, %119, %120, %121, %122, %123, %124, %125, %126, %127"
#define GR_TILE_WGMMA(T, S, CONSTRAINT, TYPES, SIGNS) \
  GR_TILE_WGMMA_ALONG(T, S, CONSTRAINT, TYPES, SIGNS, 16, GR_TILE_REGISTERS_16, 8, 9, 10, 11, 12, 13, GR_TILE_OUTPUTS_16) \
  GR_TILE_WGMMA_ALONG(T, S, CONSTRAINT, TYPES, SIGNS, 32, GR_TILE_REGISTERS_32, 16, 17, 18, 19, 20, 21, GR_TILE_OUTPUTS_32) \
  GR_TILE_WGMMA_ALONG(T, S, CONSTRAINT, TYPES, SIGNS, 64, GR_TILE_REGISTERS_64, 32, 33, 34, 35, 36, 37, GR_TILE_OUTPUTS_64) \
  GR_TILE_WGMMA_ALONG(T, S, CONSTRAINT, TYPES, SIGNS, 128, GR_TILE_REGISTERS_128, 64, 65, 66, 67, 68, 69, GR_TILE_OUTPUTS_128) \
  GR_TILE_WGMMA_ALONG(T, S, CONSTRAINT, TYPES, SIGNS, 256, GR_TILE_REGISTERS_256, 128, 129, 130, 131, 132, 133, GR_TILE_OUTPUTS_256)
#define GR_TILE_WGMMA_16_BITS(T, TYPE) \
  GR_TILE_WGMMA_OF_HALVES(T, TYPE, 16, GR_TILE_REGISTERS_16, 8, 9, 10, 11, 12, 13, 14, GR_TILE_OUTPUTS_16) \
  GR_TILE_WGMMA_OF_HALVES(T, TYPE, 32, GR_TILE_REGISTERS_32, 16, 17, 18, 19, 20, 21, 22, GR_TILE_OUTPUTS_32) \
  GR_TILE_WGMMA_OF_HALVES(T, TYPE, 64, GR_TILE_REGISTERS_64, 32, 33, 34, 35, 36, 37, 38, GR_TILE_OUTPUTS_64) \
  GR_TILE_WGMMA_OF_HALVES(T, TYPE, 128, GR_TILE_REGISTERS_128, 64, 65, 66, 67, 68, 69, 70, GR_TILE_OUTPUTS_128) \
  GR_TILE_WGMMA_OF_HALVES(T, TYPE, 256, GR_TILE_REGISTERS_256, 128, 129, 130, 131, 132, 133, 134, GR_TILE_OUTPUTS_256)
GR_TILE_WGMMA_16_BITS(gr_f16, "f16")
GR_TILE_WGMMA_16_BITS(gr_bf16, "bf16")
GR_TILE_WGMMA(gr_tf32, f32, "+f", "k8.f32.tf32.tf32", ", 1, 1")
GR_TILE_WGMMA(i8, i32, "+r", "k32.s32.s8.s8", "")
// The compiler does not see what products that run on write: it uses the sum neither before the wait nor after the fence.
static __device__ __forceinline__ void gr_tile_tie(f32& sum) { asm volatile("" : "+f"(sum)::"memory"); }
static __device__ __forceinline__ void gr_tile_tie(i32& sum) { asm volatile("" : "+r"(sum)::"memory"); }

template <class T, u32 R, u32 C, u32 N> struct gr_tile_wgmma_of {
  typedef gr_tile_shape<R, C, N> shape;
  // A group of warps has rows as wgmma wants, and columns that begin where a row of the part in shared memory does.
  static constexpr u32 columns = 8 * shape::pieces;
  // An instruction has that many sums of each thread in registers, of which many threads have few.
  static constexpr bool fits = columns / 2 + 32 <= 65536 / N;
  static constexpr bool value = shape::rows::has_groups && columns >= 16 && (shape::warps == 1 || columns % 64 == 0) && fits;
  typedef gr_tile<gr_tile_sum<T>, R, C, N> result;
  static constexpr u32 depth = 32 / sizeof(T);
  static __device__ __forceinline__ void tie(result& sum) {
#pragma unroll
    for (u32 at = 0; at < shape::count; at++) gr_tile_tie(sum.values[at]);
  }
  template <u32 STEP, bool IS_B_TRANSPOSED> struct right {
    typedef gr_tile_operand<T, STEP, C, IS_B_TRANSPOSED> operand;
    typedef gr_tile_along<typename operand::part, !IS_B_TRANSPOSED> along;
    static __device__ __forceinline__ u64 descriptor(operand b) {
      const u32 group = threadIdx.x / 128 / (shape::rows::warps / 4) % shape::warps;
      return along::descriptor(gr_tile_place_of(b.memory.memory) + along::place(group * columns, 0));
    }
  };
  static __device__ __forceinline__ void fence(result& sum) {
    tie(sum);
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
  }
  static __device__ __forceinline__ void commit() { asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory"); }
  template <bool ADDS = true, u32 STEP, bool IS_A_TRANSPOSED, bool IS_B_TRANSPOSED>
  static __device__ __forceinline__ void add(result& sum, gr_tile_operand<T, R, STEP, IS_A_TRANSPOSED> a, gr_tile_operand<T, STEP, C, IS_B_TRANSPOSED> b) {
    constexpr u32 groups = shape::rows::warps / 4;
    typedef gr_tile_along<typename gr_tile_operand<T, R, STEP, IS_A_TRANSPOSED>::part, IS_A_TRANSPOSED> of_a;
    typedef right<STEP, IS_B_TRANSPOSED> of_b;
    const u64 first_a = of_a::descriptor(gr_tile_place_of(a.memory.memory) + of_a::place(threadIdx.x / 128 % groups * 64, 0));
    const u64 first_b = of_b::descriptor(b);
    fence(sum);
#pragma unroll
    for (u32 k = 0; k < STEP; k += depth) {
#pragma unroll
      for (u32 i = 0; i < shape::rows::pieces; i++) {
        // An address is in the lowest bits of a descriptor.
        gr_tile_wgmma<T, columns>::template add<IS_A_TRANSPOSED, !IS_B_TRANSPOSED>(
            sum.values + i * shape::pieces * 4, first_a + of_a::place(i * groups * 64, k) / 16, first_b + of_b::along::place(0, k) / 16, ADDS || k != 0);
      }
    }
    commit();
  }
  // The same of an operand in registers.
  template <bool ADDS = true, u32 STEP, bool IS_B_TRANSPOSED>
  static __device__ __forceinline__ void add(result& sum, const gr_tile_packed<T, R, STEP, N>& a, gr_tile_operand<T, STEP, C, IS_B_TRANSPOSED> b) {
    typedef right<STEP, IS_B_TRANSPOSED> of_b;
    const u64 first_b = of_b::descriptor(b);
    fence(sum);
#pragma unroll
    for (u32 k = 0; k < STEP; k += depth) {
#pragma unroll
      for (u32 i = 0; i < shape::rows::pieces; i++) {
        gr_tile_wgmma<T, columns>::template add<!IS_B_TRANSPOSED>(sum.values + i * shape::pieces * 4, a.of(i, k), first_b + of_b::along::place(0, k) / 16, ADDS || k != 0);
      }
    }
    commit();
  }
  template <u32 LEFT> static __device__ __forceinline__ void wait(result& sum) {
    asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(LEFT) : "memory");
    tie(sum);
  }
};
template <u32 R, u32 C, u32 N> struct gr_tile_runs_on<gr_f16, gr_tile<f32, R, C, N>> : gr_tile_wgmma_of<gr_f16, R, C, N> {};
template <u32 R, u32 C, u32 N> struct gr_tile_runs_on<gr_bf16, gr_tile<f32, R, C, N>> : gr_tile_wgmma_of<gr_bf16, R, C, N> {};
template <u32 R, u32 C, u32 N> struct gr_tile_runs_on<gr_tf32, gr_tile<f32, R, C, N>> : gr_tile_wgmma_of<gr_tf32, R, C, N> {};
template <u32 R, u32 C, u32 N> struct gr_tile_runs_on<i8, gr_tile<i32, R, C, N>> : gr_tile_wgmma_of<i8, R, C, N> {};
#endif
