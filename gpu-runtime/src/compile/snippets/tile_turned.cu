// Products of tiles by wgmma whose second operand lies across the sum, of types that are read along the sum only. The product is computed transposed: then
// that operand is the first one, which wgmma takes from registers, and threads read their numbers of it from shared memory as it lies there.
#ifdef __CUDA_ARCH_FEAT_SM90_ALL
// The sum, with its columns as rows of wgmma. A warp has some columns whole, of which a thread has neighbours, so that it reads those of an operand at once.
template <class T, u32 R, u32 C, u32 N> struct gr_tile_turned<T, gr_tile<f32, R, C, N>> {
  typedef gr_tile<f32, R, C, N> tile;
  typedef typename tile::shape shape;
  // Neighbours that a thread has, of which an instruction has two.
  static constexpr u32 each = C * 4 / N, instructions = each / 2;
  static constexpr bool is_possible = sizeof(T) == 4 && gr_tile_runs_on<T, tile>::value && (each == 2 || each == 4);
  static constexpr u32 memory = R * C * 4;
  f32 values[R * C / N];
  template <u32 BYTES> struct alignas(BYTES) words_of {
    u32 words[BYTES / 4];
  };
  typedef words_of<each * 4> words;
  // The first column of the thread. Four threads have the same.
  static __device__ __forceinline__ u32 piece() {
    const u32 piece = threadIdx.x / 4 * each / 4;
    return piece / 8 * 8 + piece % 8 / 2 + piece % 2 * 4;
  }
  static __device__ __forceinline__ u32 in_piece() { return threadIdx.x / 4 * each % 4; }
  // Of a step of the second operand, what instructions read of a half.
  template <u32 STEP> struct half {
    typedef gr_tile_part<T, STEP, C> part;
    static constexpr u32 count = STEP / 16;
    u32 words[count][instructions][4];
    __device__ __forceinline__ void load(gr_tile_place memory, u32 first) {
#pragma unroll
      for (u32 k = 0; k < count; k++) {
#pragma unroll
        for (u32 below = 0; below < 2; below++) {
          u32 x[4];
          const gr_tile_place from = memory + part::place(threadIdx.x % 4 + below * 4, piece(), first + k * 8, 0) + in_piece() * 4;
          if constexpr (each == 4) asm volatile("ld.shared.v4.b32 {%0, %1, %2, %3}, [%4];" : "=r"(x[0]), "=r"(x[1]), "=r"(x[2]), "=r"(x[3]) : "r"(from) : "memory");
          else asm volatile("ld.shared.v2.b32 {%0, %1}, [%2];" : "=r"(x[0]), "=r"(x[1]) : "r"(from) : "memory");
#pragma unroll
          for (u32 i = 0; i < each; i++) words[k][i / 2][below * 2 + i % 2] = x[i];
        }
      }
    }
    // Instructions that read these registers have ended.
    __device__ __forceinline__ void tie() {
#pragma unroll
      for (u32 at = 0; at < count * instructions * 4; at++) asm volatile("" : "+r"(words[at / 4 / instructions][at / 4 % instructions][at % 4])::"memory");
    }
  };
  __device__ __forceinline__ void tie() {
#pragma unroll
    for (u32 at = 0; at < R * C / N; at++) gr_tile_tie(values[at]);
  }
  template <u32 STEP> __device__ __forceinline__ void add(const half<STEP>& b, gr_tile_place a, u32 first) {
    typedef gr_tile_along<gr_tile_part<T, R, STEP>, false> along;
    const u64 of_a = along::descriptor(a);
    tie();
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
#pragma unroll
    for (u32 k = 0; k < half<STEP>::count; k++) {
#pragma unroll
      for (u32 i = 0; i < instructions; i++) gr_tile_wgmma<T, R>::add(values + i * (R / 2), b.words[k][i], of_a + along::place(0, first + k * 8) / 16, true);
    }
    asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
  }
  template <u32 LEFT> __device__ __forceinline__ void wait() {
    asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(LEFT) : "memory");
    tie();
  }
  // In shared memory, pieces of a row change places, so that neither order of access has conflicts of banks.
  static __device__ __forceinline__ u32 place(u32 row, u32 piece) {
    return (row * (C / 4) + (piece ^ ((row ^ row / 4) % 2 * 2 + row / 2 % 2 * 5))) * 16;
  }
  template <class F> static __device__ __forceinline__ void for_each_row(const F& function) {
#pragma unroll
    for (u32 j = 0; j < R / 8; j++) {
#pragma unroll
      for (u32 e = 0; e < 2; e++) function(j * 4 + e, *(words*)(gr_tile_memory() + place(j * 8 + threadIdx.x % 4 * 2 + e, piece()) + in_piece() * 4));
    }
  }
  template <class F> static __device__ __forceinline__ void for_each_pair(const F& function) {
#pragma unroll
    for (u32 at = 0; at < shape::count; at += 2) {
      const u32 column = shape::column(at);
      function(at, *(words_of<8>*)(gr_tile_memory() + place(shape::row(at), column / 4) + column % 4 * 4));
    }
  }
  __device__ __forceinline__ explicit gr_tile_turned(const tile& sum) {
    bool is_zero = true;
#pragma unroll
    for (u32 at = 0; at < shape::count; at++) is_zero &= __float_as_uint(sum.values[at]) == 0;
    if (__syncthreads_and(is_zero)) {
#pragma unroll
      for (u32 at = 0; at < R * C / N; at++) values[at] = 0;
      return;
    }
    for_each_pair([&](u32 at, words_of<8>& pair) { pair = {{__float_as_uint(sum.values[at]), __float_as_uint(sum.values[at + 1])}}; });
    __syncthreads();
    for_each_row([&](u32 first, const words& row) {
#pragma unroll
      for (u32 i = 0; i < each; i++) values[i / 2 * (R / 2) + i % 2 * 2 + first] = __uint_as_float(row.words[i]);
    });
    __syncthreads();
  }
  __device__ __forceinline__ void turn(tile& sum) const {
    __syncthreads();
    for_each_row([&](u32 first, words& row) {
#pragma unroll
      for (u32 i = 0; i < each; i++) row.words[i] = __float_as_uint(values[i / 2 * (R / 2) + i % 2 * 2 + first]);
    });
    __syncthreads();
    for_each_pair([&](u32 at, const words_of<8>& pair) { sum.values[at] = __uint_as_float(pair.words[0]), sum.values[at + 1] = __uint_as_float(pair.words[1]); });
  }
  // Adds the products of `count` steps. `start` begins to load the first, and `load` the next one.
  template <class Steps, class F, class G> static __device__ __forceinline__ void add_dots(tile& sum, usize count, const F& start, const G& load) {
    constexpr u32 step = Steps::columns;
    gr_tile_turned turned(sum);
    start();
    // While the products of one half run, the numbers of the next one are read.
    half<step> first, second;
    const gr_tile_place memory = gr_tile_place_of(gr_tile_memory());
    u32 used = 0;
    const auto multiply_first = [&] {
      gr_tile_wait<Steps::stages - 3>();
      first.load(memory + used + Steps::left::part::bytes, 0);
      turned.add(first, memory + used, 0);
    };
    const auto multiply_second = [&] {
      second.load(memory + used + Steps::left::part::bytes, step / 2);
      turned.add(second, memory + used, step / 2);
      used = used == (Steps::stages - 1) * Steps::bytes ? 0 : used + Steps::bytes;
      load();
      turned.wait<1>();
      first.tie();
    };
    multiply_first();
    multiply_second();
#pragma unroll 1
    for (usize next = 1; next < count; next++) {
      multiply_first();
      turned.wait<1>();
      second.tie();
      multiply_second();
    }
    turned.wait<0>();
    second.tie();
    turned.turn(sum);
  }
};
#endif
