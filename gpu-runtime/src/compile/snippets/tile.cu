// Tiles: matrices of R rows and C columns in the registers of a block of N threads.
//
// Every tile lies as the accumulators of the tensor cores do. A warp has a part of the rows and of the columns, in pieces of 16 rows and 8
// columns; of a piece, a thread has two neighbours in a row and two in the row 8 below. How the rows are divided depends on their number
// alone, so that a column, which has a value for each row, fits every tile with as many. If there are more warps than pieces, the others
// have copies.
#ifdef __CUDA_ARCH_FEAT_SM90_ALL
// Four warps have the pieces of 64 rows from top to bottom, as wgmma wants.
static constexpr bool gr_tile_has_groups = true;
#else
static constexpr bool gr_tile_has_groups = false;
#endif
template <u32 R, u32 N> struct gr_tile_rows_of {
  static constexpr bool has_groups = gr_tile_has_groups && R >= 64 && N >= 128;
  static constexpr u32 most = has_groups ? R / 16 : R < 64 ? 1 : R / 32;
  static constexpr u32 warps = R < 64 ? 1 : N / 32 < most ? N / 32 : most;
  static constexpr u32 pieces = R / 16 / warps;
  // The first row of the warp's piece `at`.
  static __device__ __forceinline__ u32 first(u32 at) {
    const u32 warp = threadIdx.x / 32 % warps;
    if constexpr (has_groups) return (at * (warps / 4) + warp / 4) * 64 + warp % 4 * 16;
    else return warp * (16 * pieces) + at * 16;
  }
  // The row of the thread's value `at` of a column.
  static __device__ __forceinline__ u32 row(u32 at) { return first(at / 2) + at % 2 * 8 + threadIdx.x % 32 / 4; }
};
template <u32 R, u32 C, u32 N> struct gr_tile_shape {
  typedef gr_tile_rows_of<R, N> rows;
  static constexpr u32 rest = N / 32 / rows::warps;
  static constexpr u32 warps = rest < C / 8 ? rest : C / 8;
  static constexpr u32 pieces = C / 8 / warps;
  static constexpr u32 count = rows::pieces * pieces * 4;
  static __device__ __forceinline__ u32 first_column() { return threadIdx.x / 32 / rows::warps % warps * (8 * pieces) + threadIdx.x % 4 * 2; }
  // Of the thread's value `at`: its place in a column, and its position in the tile.
  static __device__ __forceinline__ constexpr u32 in_column(u32 at) { return at / (4 * pieces) * 2 + at / 2 % 2; }
  static __device__ __forceinline__ u32 row(u32 at) { return rows::row(in_column(at)); }
  static __device__ __forceinline__ u32 column(u32 at) { return first_column() + at / 4 % pieces * 8 + at % 2; }
  // Whether the thread's values are no copies.
  static __device__ __forceinline__ bool is_first() { return threadIdx.x / 32 < rows::warps * warps; }
};

template <class T, u32 R, u32 C, u32 N> struct gr_tile {
  typedef T element;
  typedef gr_tile_shape<R, C, N> shape;
  static constexpr u32 count = shape::count;
  T values[count];
  static __device__ __forceinline__ gr_tile splat(T value) {
    gr_tile tile;
#pragma unroll
    for (u32 at = 0; at < count; at++) tile.values[at] = value;
    return tile;
  }
  static __device__ __forceinline__ gr_tile zeros() { return splat(T()); }
  static __device__ __forceinline__ constexpr u32 in_column(u32 at) { return shape::in_column(at); }
};
template <class T, u32 R, u32 N> struct gr_column {
  typedef T element;
  static constexpr u32 count = gr_tile_rows_of<R, N>::pieces * 2;
  T values[count];
  static __device__ __forceinline__ gr_column splat(T value) {
    gr_column column;
#pragma unroll
    for (u32 at = 0; at < count; at++) column.values[at] = value;
    return column;
  }
  static __device__ __forceinline__ gr_column zeros() { return splat(T()); }
  static __device__ __forceinline__ constexpr u32 in_column(u32 at) { return at; }
};

// Where the tile in row i and column j of the tiles of a view lies. What is outside of the view is zero.
template <class T, u32 R, u32 C, u32 N> struct gr_tile_of_view {
  const T* first;
  isize row_stride, column_stride;
  usize rows, columns;
  // Whether the elements of a row lie side by side, and 16 divides the address of the first of each.
  __device__ __forceinline__ bool has_pieces() const { return column_stride == 1 && ((usize)first | (usize)row_stride * sizeof(T)) % 16 == 0; }
  __device__ __forceinline__ T at(u32 row, u32 column) const {
    return row < rows && column < columns ? first[(isize)row * row_stride + (isize)column * column_stride] : T();
  }
  __device__ __forceinline__ gr_tile<T, R, C, N> load() const {
    typedef gr_tile_shape<R, C, N> shape;
    gr_tile<T, R, C, N> tile;
#pragma unroll
    for (u32 i = 0; i < shape::count; i++) tile.values[i] = at(shape::row(i), shape::column(i));
    return tile;
  }
};
static __device__ __forceinline__ usize gr_tile_first(usize index, u32 size, usize extent) { return index <= extent / size ? index * size : extent; }
template <u32 R, u32 C, u32 N, class T> static __device__ __forceinline__ gr_tile_of_view<T, R, C, N> gr_tile_at(const T* view, gr_layout<2> layout, usize i, usize j) {
  const usize row = gr_tile_first(i, R, layout.shape[0]), column = gr_tile_first(j, C, layout.shape[1]);
  return {view + layout.offset(row, column), layout.strides[0], layout.strides[1], layout.shape[0] - row, layout.shape[1] - column};
}
// Element by element. A column has one value for a row of a tile, and a number is the same everywhere.
template <class Result, class T, u32 R, u32 C, u32 N> static __device__ __forceinline__ T gr_tile_value(const gr_tile<T, R, C, N>& tile, u32 at) { return tile.values[at]; }
template <class Result, class T, u32 R, u32 N> static __device__ __forceinline__ T gr_tile_value(const gr_column<T, R, N>& column, u32 at) { return column.values[Result::in_column(at)]; }
template <class Result, class T> static __device__ __forceinline__ T gr_tile_value(T number, u32) { return number; }
template <class Result, class F, class... A> static __device__ __forceinline__ Result gr_tile_map(const F& function, const A&... operands) {
  Result result;
#pragma unroll
  for (u32 at = 0; at < Result::count; at++) result.values[at] = function(gr_tile_value<Result>(operands, at)...);
  return result;
}
template <class Result, class F, class A> static __device__ __forceinline__ Result gr_tile_map_at(const F& function, const A& operand) {
  Result result;
#pragma unroll
  for (u32 at = 0; at < Result::count; at++) result.values[at] = function(Result::shape::row(at), Result::shape::column(at), operand.values[at]);
  return result;
}
struct gr_tile_plus {
  template <class T> __device__ __forceinline__ T operator()(T a, T b) const { return gr_wrapping_add(a, b); }
};
struct gr_tile_minus {
  template <class T> __device__ __forceinline__ T operator()(T a, T b) const { return gr_wrapping_sub(a, b); }
};
struct gr_tile_times {
  template <class T> __device__ __forceinline__ T operator()(T a, T b) const { return gr_wrapping_mul(a, b); }
};
struct gr_tile_quotient {
  template <class T> __device__ __forceinline__ T operator()(T a, T b) const { return a / b; }
};
struct gr_tile_negative {
  template <class T> __device__ __forceinline__ T operator()(T a) const {
    if constexpr (gr_is_float<T>::value) return -a;
    else return gr_wrapping_sub((T)0, a);
  }
};
struct gr_tile_larger {
  template <class T> __device__ __forceinline__ T operator()(T a, T b) const {
    if constexpr (gr_is_float<T>::value) return gr_max(a, b);
    else return a < b ? b : a;
  }
};
template <class To> struct gr_tile_cast {
  template <class T> __device__ __forceinline__ To operator()(T a) const { return gr_cast<To>(a); }
};

// The shared memory of all operations: dynamic, as much as the largest needs. Each begins with a barrier, so that the one before it has ended.
#ifdef __CUDACC_RTC__
// What every GPU has on which the code runs: that for sm_80 runs on sm_86, which has less.
#ifdef __CUDA_ARCH_FEAT_SM90_ALL
static constexpr u32 gr_tile_most_memory = 232448;
#elif __CUDA_ARCH__ >= 800
static constexpr u32 gr_tile_most_memory = 101376;
#else
static constexpr u32 gr_tile_most_memory = 49152;
#endif
extern __shared__ __align__(1024) u8 gr_tile_memory_[];
static __device__ __forceinline__ u8* gr_tile_memory() { return gr_tile_memory_; }
#else
static constexpr u32 gr_tile_most_memory = 101376;
static __device__ __forceinline__ u8* gr_tile_memory() {
  alignas(1024) __shared__ u8 memory[gr_tile_most_memory];
  return memory;
}
#endif
// What the operations of a kernel need.
template <class Use, class... Others> struct gr_tile_uses {
  static constexpr u32 rest = gr_tile_uses<Others...>::memory, memory = Use::memory > rest ? Use::memory : rest;
};
template <class Use> struct gr_tile_uses<Use> { static constexpr u32 memory = Use::memory; };

// Each row to one value: the values of a thread, those of the four threads that share a row, those of the warps that do.
template <class T> static __device__ __forceinline__ T gr_tile_exchanged(T value, u32 distance) {
  if constexpr (sizeof(T) == 1) return (T)__shfl_xor_sync(0xffffffffu, (i32)value, distance);
  else return __shfl_xor_sync(0xffffffffu, value, distance);
}
template <class T, u32 R, u32 C, u32 N> struct gr_tile_rows_use {
  static constexpr u32 parts = gr_tile_shape<R, C, N>::warps, memory = parts > 1 ? parts * R * (u32)sizeof(T) : 0;
};
template <class Result, class F, class T, u32 R, u32 C, u32 N> static __device__ __forceinline__ Result gr_tile_rows(const F& function, const gr_tile<T, R, C, N>& tile) {
  typedef gr_tile_shape<R, C, N> shape;
  Result result;
#pragma unroll
  for (u32 row = 0; row < Result::count; row++) {
    const u32 first = row / 2 * (4 * shape::pieces) + row % 2 * 2;
    T value = function(tile.values[first], tile.values[first + 1]);
#pragma unroll
    for (u32 piece = 1; piece < shape::pieces; piece++) {
      value = function(value, function(tile.values[first + piece * 4], tile.values[first + piece * 4 + 1]));
    }
    value = function(value, gr_tile_exchanged(value, 1));
    result.values[row] = function(value, gr_tile_exchanged(value, 2));
  }
  if constexpr (shape::warps > 1) {
    T* const parts = (T*)gr_tile_memory();
    const u32 warp = threadIdx.x / 32 / shape::rows::warps;
    __syncthreads();
    if (shape::is_first() && threadIdx.x % 4 == 0) {
#pragma unroll
      for (u32 row = 0; row < Result::count; row++) parts[warp * R + shape::rows::row(row)] = result.values[row];
    }
    __syncthreads();
#pragma unroll
    for (u32 row = 0; row < Result::count; row++) {
      T value = parts[shape::rows::row(row)];
#pragma unroll
      for (u32 other = 1; other < shape::warps; other++) value = function(value, parts[other * R + shape::rows::row(row)]);
      result.values[row] = value;
    }
  }
  return result;
}

// What sums of products are computed in.
template <class T> static __device__ __forceinline__ f32 gr_tile_summand(T a) { return (f32)a; }
static __device__ __forceinline__ f64 gr_tile_summand(f64 a) { return a; }
static __device__ __forceinline__ i32 gr_tile_summand(i8 a) { return a; }
static __device__ __forceinline__ i32 gr_tile_summand(i32 a) { return a; }

// 16 bytes from where 16 divides the address to where it does; only the first `bytes` are read, and the rest is zero. They arrive by the
// next gr_tile_wait.
struct alignas(16) gr_tile_piece {
  u64 low, high;
};
#if defined(__CUDACC_RTC__) && __CUDA_ARCH__ >= 800
// A place in shared memory, as instructions name it.
typedef u32 gr_tile_place;
static __device__ __forceinline__ gr_tile_place gr_tile_place_of(const void* shared) {
  u32 place;
  asm("{ .reg .u64 a; cvta.to.shared.u64 a, %1; cvt.u32.u64 %0, a; }" : "=r"(place) : "l"(shared));
  return place;
}
#else
typedef u8* gr_tile_place;
static __device__ __forceinline__ gr_tile_place gr_tile_place_of(void* shared) { return (u8*)shared; }
#endif
static __device__ __forceinline__ void gr_tile_copy(gr_tile_place to, const void* from) {
#if !defined(__CUDACC_RTC__)
  __builtin_memcpy(to, from, 16);
#elif __CUDA_ARCH__ >= 800
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to), "l"(from) : "memory");
#else
  *(gr_tile_piece*)to = *(const gr_tile_piece*)from;
#endif
}
static __device__ __forceinline__ void gr_tile_copy(gr_tile_place to, const void* from, u32 bytes) {
#if !defined(__CUDACC_RTC__)
  __builtin_memset(to, 0, 16);
  __builtin_memcpy(to, from, bytes);
#elif __CUDA_ARCH__ >= 800
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(to), "l"(from), "r"(bytes) : "memory");
#else
  for (u32 at = 0; at < 16; at++) ((u8*)to)[at] = at < bytes ? ((const u8*)from)[at] : 0;
#endif
}
// Ends a group of copies.
static __device__ __forceinline__ void gr_tile_commit() {
#if defined(__CUDACC_RTC__) && __CUDA_ARCH__ >= 800
  asm volatile("cp.async.commit_group;" ::: "memory");
#endif
}
// Waits for all groups of copies of all threads but the last LEFT of each, and for all other writes to shared memory.
template <u32 LEFT> static __device__ __forceinline__ void gr_tile_wait() {
#if defined(__CUDACC_RTC__) && __CUDA_ARCH__ >= 800
  asm volatile("cp.async.wait_group %0;" ::"n"(LEFT) : "memory");
#endif
#ifdef __CUDA_ARCH_FEAT_SM90_ALL
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
#endif
  __syncthreads();
}

// ROWS rows of COLUMNS elements in shared memory, in pieces of 16 bytes. Eight pieces of each row lie one after another, and then those of the
// next row. They change places with the row, so that eight rows of one column of pieces lie in different banks: the swizzles of wgmma.
template <class T, u32 ROWS, u32 COLUMNS> struct gr_tile_part {
  static constexpr u32 per_piece = 16 / sizeof(T), pieces = COLUMNS / per_piece, width = pieces < 8 ? pieces : 8;
  static constexpr u32 bytes = ROWS * COLUMNS * (u32)sizeof(T);
  u8* memory;
  static __device__ __forceinline__ u32 place(u32 row, u32 piece) {
    return ((piece / width * ROWS + row) * width + (piece % width ^ row / (8 / width) % width)) * 16;
  }
  // The same of a row and a piece that are so much larger than those of the thread. Eight rows further, pieces are in the same order.
  static __device__ __forceinline__ u32 place(u32 row, u32 piece, u32 rows, u32 pieces) {
    if (rows % 8 != 0) return place(row + rows, piece + pieces);
    return place(row, piece) + (pieces / width * ROWS + rows) * width * 16;
  }
  __device__ __forceinline__ T* piece(u32 row, u32 piece) const { return (T*)(memory + place(row, piece)); }
  __device__ __forceinline__ T& at(u32 row, u32 column) const { return piece(row, column / per_piece)[column % per_piece]; }
  // Those from `row` and `column` on of a tile of a view.
  template <u32 R, u32 C, u32 N> __device__ __forceinline__ void fill(const gr_tile_of_view<T, R, C, N>& tile, u32 row, u32 column) const {
    const T* const from = tile.first + ((isize)row * tile.row_stride + (isize)column * tile.column_stride);
    const usize rows = tile.rows < row ? 0 : tile.rows - row, columns = tile.columns < column ? 0 : tile.columns - column;
    // A thread has each `down`th row, and of a row each `across`th piece.
    constexpr u32 across = N < pieces ? N : pieces, down = N / across < ROWS ? N / across : ROWS;
    const u32 first_row = threadIdx.x / across, first_piece = threadIdx.x % across;
    if (N / across > ROWS && first_row >= ROWS) return;
    if (tile.has_pieces()) {
      const gr_tile_place to = gr_tile_place_of(memory);
      const T* const first = from + ((isize)first_row * tile.row_stride + first_piece * per_piece);
      if (rows >= ROWS && columns >= COLUMNS) {
#pragma unroll
        for (u32 r = 0; r < ROWS; r += down) {
#pragma unroll
          for (u32 p = 0; p < pieces; p += across) {
            gr_tile_copy(to + place(first_row + r, first_piece + p), first + ((isize)r * tile.row_stride + p * per_piece));
          }
        }
        return;
      }
#pragma unroll 1
      for (u32 r = 0; r < ROWS; r += down) {
#pragma unroll 1
        for (u32 p = 0; p < pieces; p += across) {
          const usize begin = (first_piece + p) * per_piece;
          const bool is_inside = first_row + r < rows && begin < columns;
          const u32 left = !is_inside ? 0 : columns - begin < per_piece ? (u32)(columns - begin) : per_piece;
          gr_tile_copy(to + place(first_row + r, first_piece + p), left ? first + ((isize)r * tile.row_stride + p * per_piece) : from, left * (u32)sizeof(T));
        }
      }
      return;
    }
#pragma unroll 1
    for (u32 r = first_row; r < ROWS; r += down) {
#pragma unroll 1
      for (u32 p = first_piece; p < pieces; p += across) {
#pragma unroll
        for (u32 i = 0; i < per_piece; i++) piece(r, p)[i] = tile.at(row + r, column + p * per_piece + i);
      }
    }
  }
  template <u32 R, u32 C, u32 N> __device__ __forceinline__ void fill(const gr_tile<T, R, C, N>& tile, u32 row, u32 column) const {
    typedef gr_tile_shape<R, C, N> shape;
    if (!shape::is_first()) return;
#pragma unroll
    for (u32 i = 0; i < shape::count; i++) {
      const u32 r = shape::row(i) - row, c = shape::column(i) - column;
      if (r < ROWS && c < COLUMNS) at(r, c) = tile.values[i];
    }
  }
};

// Different tiles of one size have different elements, and each element of a tile is always the same thread's. Elements of less than four bytes go
// through shared memory, so that threads side by side write whole sectors.
template <class T, u32 R, u32 C, u32 N> struct gr_tile_store_use {
  static constexpr bool is_staged = sizeof(T) < 4 && R * C * (u32)sizeof(T) <= gr_tile_most_memory;
  static constexpr u32 memory = is_staged ? R * C * (u32)sizeof(T) : 0;
};
template <class T, u32 R, u32 C, u32 N> static __device__ __forceinline__ void gr_tile_store(T* view, gr_layout<2> layout, usize i, usize j, const gr_tile<T, R, C, N>& tile) {
  typedef gr_tile_shape<R, C, N> shape;
  const usize row = gr_tile_first(i, R, layout.shape[0]), column = gr_tile_first(j, C, layout.shape[1]);
  const usize rows = layout.shape[0] - row, columns = layout.shape[1] - column;
  const isize row_stride = layout.strides[0], column_stride = layout.strides[1];
  T* const first = view + layout.offset(row, column);
  if constexpr (gr_tile_store_use<T, R, C, N>::is_staged) {
    if (rows >= R && columns >= C && column_stride == 1 && ((usize)first | (usize)row_stride * sizeof(T)) % 16 == 0) {
      typedef gr_tile_part<T, R, C> part;
      const part staged = {gr_tile_memory()};
      __syncthreads();
      staged.fill(tile, 0, 0);
      __syncthreads();
#pragma unroll
      for (u32 at = 0; at < R * part::pieces; at += N) {
        const u32 r = (threadIdx.x + at) / part::pieces, p = (threadIdx.x + at) % part::pieces;
        if (R * part::pieces % N != 0 && r >= R) break;
        *(gr_tile_piece*)(first + ((isize)r * row_stride + p * part::per_piece)) = *(const gr_tile_piece*)staged.piece(r, p);
      }
      return;
    }
  }
  if (!shape::is_first()) return;
#pragma unroll
  for (u32 at = 0; at < shape::count; at++) {
    const u32 r = shape::row(at), c = shape::column(at);
    if (r < rows && c < columns) first[(isize)r * row_stride + (isize)c * column_stride] = tile.values[at];
  }
}

// The operands of a product go through shared memory a step at a time: some columns of one and as many rows of the other.
template <class T, u32 R, u32 K, u32 C> struct gr_tile_steps {
  static constexpr u32 row_bytes = 2 * (R + C) * 128 <= gr_tile_most_memory ? 128 : 64;
  static constexpr u32 columns = K * sizeof(T) < row_bytes ? K : row_bytes / sizeof(T);
  typedef gr_tile_part<T, R, columns> left;
  typedef gr_tile_part<T, columns, C> right;
  static constexpr u32 bytes = left::bytes + right::bytes, fitting = gr_tile_most_memory / bytes;
  // As many steps are in memory at once.
  static constexpr u32 stages = fitting < 4 ? fitting : 4;
  u8* memory;
  __device__ __forceinline__ left of_a() const { return {memory}; }
  __device__ __forceinline__ right of_b() const { return {memory + left::bytes}; }
  template <class A, class B> __device__ __forceinline__ void fill(const A& a, const B& b, u32 k) const {
    of_a().fill(a, 0, k);
    of_b().fill(b, k, 0);
  }
};
// One product, and products in a row.
template <class T, u32 R, u32 K, u32 C, u32 N> struct gr_tile_dot_use { static constexpr u32 memory = gr_tile_steps<T, R, K, C>::bytes; };
template <class T, u32 R, u32 K, u32 C, u32 N> struct gr_tile_dots_use { static constexpr u32 memory = gr_tile_steps<T, R, K, C>::bytes * gr_tile_steps<T, R, K, C>::stages; };

// The instructions for products of elements of a type: those of the snippet `tile_mma`, else one of numbers.
template <class T> struct gr_tile_products {
  template <class S, u32 R, u32 STEP, u32 C, u32 N> static __device__ __forceinline__ void add(gr_tile<S, R, C, N>& sum, gr_tile_part<T, R, STEP> a, gr_tile_part<T, STEP, C> b) {
    typedef gr_tile_shape<R, C, N> shape;
#pragma unroll 2
    for (u32 k = 0; k < STEP; k++) {
      S of_a[shape::rows::pieces * 2], of_b[shape::pieces * 2];
#pragma unroll
      for (u32 i = 0; i < shape::rows::pieces * 2; i++) of_a[i] = gr_tile_summand(a.at(shape::rows::row(i), k));
#pragma unroll
      for (u32 j = 0; j < shape::pieces * 2; j++) of_b[j] = gr_tile_summand(b.at(k, shape::first_column() + j / 2 * 8 + j % 2));
#pragma unroll
      for (u32 at = 0; at < shape::count; at++) {
        const S product = gr_wrapping_mul(of_a[shape::in_column(at)], of_b[at / 4 % shape::pieces * 2 + at % 2]);
        sum.values[at] = gr_wrapping_add(sum.values[at], product);
      }
    }
  }
};
// Whether sums of this kind are of products that run on while the threads go on, as the snippet `tile_wgmma` has.
template <class T, class Sum> struct gr_tile_runs_on { static constexpr bool value = false; };
template <class T, class Sum, class Steps> static __device__ __forceinline__ void gr_tile_begin_products(Sum& sum, const Steps& step) {
  if constexpr (gr_tile_runs_on<T, Sum>::value) gr_tile_runs_on<T, Sum>::add(sum, step.of_a(), step.of_b());
  else gr_tile_products<T>::add(sum, step.of_a(), step.of_b());
}
// Waits for all products but those of the last LEFT steps.
template <class T, class Sum, u32 LEFT> static __device__ __forceinline__ void gr_tile_end_products() {
  if constexpr (gr_tile_runs_on<T, Sum>::value) gr_tile_runs_on<T, Sum>::template wait<LEFT>();
}

template <template <class, u32, u32, u32> class A, template <class, u32, u32, u32> class B, class T, class S, u32 R, u32 K, u32 C, u32 N>
static __device__ __forceinline__ void gr_tile_add_dot(gr_tile<S, R, C, N>& sum, const A<T, R, K, N>& a, const B<T, K, C, N>& b) {
  typedef gr_tile_steps<T, R, K, C> steps;
  typedef gr_tile<S, R, C, N> result;
  const steps step = {gr_tile_memory()};
#pragma unroll 1
  for (u32 k = 0; k < K; k += steps::columns) {
    __syncthreads();
    step.fill(a, b, k);
    gr_tile_commit();
    gr_tile_wait<0>();
    gr_tile_begin_products<T, result>(sum, step);
    gr_tile_end_products<T, result, 0>();
  }
}
template <class Result, class A, class B> static __device__ __forceinline__ Result gr_tile_dot(const A& a, const B& b) {
  Result sum = Result::zeros();
  gr_tile_add_dot(sum, a, b);
  return sum;
}

// Copies tiles of a view that follow each other, `advance` elements apart, whole but for rows and columns outside of the view.
template <class T, u32 ROWS, u32 COLUMNS, u32 N> struct gr_tile_walk {
  typedef gr_tile_part<T, ROWS, COLUMNS> part;
  // A thread has each `down`th row, and of a row each `across`th piece.
  static constexpr u32 across = N < part::pieces ? N : part::pieces, down = N / across < ROWS ? N / across : ROWS;
  const T* next;
  isize row_stride, advance;
  u32 rows, columns;
  template <u32 R, u32 C> __device__ __forceinline__ gr_tile_walk(const gr_tile_of_view<T, R, C, N>& tile, isize advance)
      : next(tile.first + ((isize)(threadIdx.x / across) * tile.row_stride + threadIdx.x % across * part::per_piece)),
        row_stride(tile.row_stride),
        advance(advance),
        rows(tile.rows < ROWS ? (u32)tile.rows : ROWS),
        columns(tile.columns < COLUMNS ? (u32)tile.columns : COLUMNS) {}
  __device__ __forceinline__ void copy(gr_tile_place to) {
    const u32 row = threadIdx.x / across, piece = threadIdx.x % across;
    if (N / across <= ROWS || row < ROWS) {
#pragma unroll
      for (u32 p = 0; p < part::pieces; p += across) {
        const u32 first = (piece + p) * part::per_piece;
        const u32 bytes = first >= columns ? 0 : columns - first < part::per_piece ? (columns - first) * (u32)sizeof(T) : 16;
#pragma unroll
        for (u32 r = 0; r < ROWS; r += down) {
          gr_tile_copy(to + part::place(row, piece, r, p), next + ((isize)r * row_stride + p * part::per_piece), row + r < rows ? bytes : 0);
        }
      }
    }
    next += advance;
  }
};

// Adds the products of the tiles of a row of `a` and of a column of `b`, of the pairs from `begin` to `end`. Where a step lies in whole tiles and pieces,
// those after it are on their way while it is multiplied.
template <class A, class B> struct gr_tile_pair {
  A a;
  B b;
};
template <class A, class B> static __device__ __forceinline__ gr_tile_pair<A, B> gr_tile_pair_of(const A& a, const B& b) { return {a, b}; }
template <class T, class S, u32 R, u32 K, u32 C, u32 N, class F>
static __device__ __forceinline__ void gr_tile_add_dots(gr_tile<S, R, C, N>& sum, usize begin, usize end, const F& pair, gr_tile_pair<gr_tile_of_view<T, R, K, N>, gr_tile_of_view<T, K, C, N>>*) {
  typedef gr_tile_steps<T, R, K, C> steps;
  typedef gr_tile<S, R, C, N> result;
  constexpr u32 step = steps::columns, parts = K / step, stages = steps::stages;
  if (begin >= end) return;
  const auto first = pair(begin);
  usize count = 0;
  if constexpr (stages > 1) {
    if (first.a.has_pieces() && first.b.has_pieces()) {
      const usize inside = (first.a.columns < first.b.rows ? first.a.columns : first.b.rows) / K;
      count = (inside < end - begin ? inside : end - begin) * parts;
    }
  }
  if (count != 0) {
    constexpr bool runs_on = gr_tile_runs_on<T, result>::value && stages > 2;
    // A step is loaded to where the one before this was, or if that one's products may run on, the one before that.
    constexpr u32 ahead = runs_on ? stages - 2 : stages > 1 ? stages - 1 : 1;
    gr_tile_walk<T, R, step, N> a(first.a, step);
    gr_tile_walk<T, step, C, N> b(first.b, (isize)step * first.b.row_stride);
    b.rows = step;
    a.columns = step;
    const gr_tile_place memory = gr_tile_place_of(gr_tile_memory());
    u32 filled = 0, used = 0;
    usize left = count;
    const auto load = [&] {
      if (left != 0) {
        left--;
        a.copy(memory + filled);
        b.copy(memory + filled + steps::left::bytes);
        filled = filled == (stages - 1) * steps::bytes ? 0 : filled + steps::bytes;
      }
      gr_tile_commit();
    };
    const auto multiply = [&] {
      gr_tile_wait<ahead - 1>();
      const steps operands = {gr_tile_memory() + used};
      gr_tile_begin_products<T, result>(sum, operands);
      used = used == (stages - 1) * steps::bytes ? 0 : used + steps::bytes;
    };
    __syncthreads();
#pragma unroll 1
    for (u32 at = 0; at < ahead; at++) load();
    usize next = 0;
    if constexpr (runs_on) {
      // The first step is apart, so that the compiler sees no other use of the sum while products run.
      multiply();
      load();
      next = 1;
    }
#pragma unroll 1
    for (; next < count; next++) {
      multiply();
      if constexpr (!runs_on) gr_tile_end_products<T, result, 0>();
      load();
      if constexpr (runs_on) gr_tile_end_products<T, result, 1>();
    }
    gr_tile_end_products<T, result, 0>();
  }
#pragma unroll 1
  for (usize k = begin + count / parts; k < end; k++) {
    const auto rest = pair(k);
    gr_tile_add_dot(sum, rest.a, rest.b);
  }
}
template <class Sum, class F> static __device__ __forceinline__ void gr_tile_add_dots(Sum& sum, usize begin, usize end, const F& pair) {
  gr_tile_add_dots(sum, begin, end, pair, (decltype(pair(begin))*)nullptr);
}
