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
  static constexpr u32 row_count = R, column_count = C;
  // Whether all of it is inside of the view.
  __device__ __forceinline__ bool is_whole() const { return rows >= R && columns >= C; }
  // Whether the elements of a row lie side by side, and 16 divides the address of the first of each.
  __device__ __forceinline__ bool has_pieces() const { return is_power && column_stride == 1 && ((usize)first | (usize)row_stride * sizeof(T)) % 16 == 0; }
  // The same without so many rows and columns.
  __device__ __forceinline__ gr_tile_of_view after(u32 row, u32 column) const {
    return {first + ((isize)row * row_stride + (isize)column * column_stride), row_stride, column_stride, rows < row ? 0 : rows - row,
            columns < column ? 0 : columns - column};
  }
  __device__ __forceinline__ T at(u32 row, u32 column) const {
    return row < rows && column < columns ? first[(isize)row * row_stride + (isize)column * column_stride] : T();
  }
  // Neighbours in a row are loaded together where all of the tile is inside of the view, if their size is a power of two.
  static constexpr bool is_power = (sizeof(T) & (sizeof(T) - 1)) == 0;
  struct alignas(is_power ? 2 * sizeof(T) : alignof(T)) pair {
    T values[2];
  };
  __device__ __forceinline__ bool has_pairs() const { return column_stride == 1 && ((usize)first | (usize)row_stride * sizeof(T)) % sizeof(pair) == 0; }
  __device__ __forceinline__ gr_tile<T, R, C, N> load() const {
    typedef gr_tile_shape<R, C, N> shape;
    gr_tile<T, R, C, N> tile;
    if (is_whole() && has_pairs()) {
      const T* const own = first + shape::first_column();
#pragma unroll
      for (u32 i = 0; i < shape::count; i += 2) {
        const pair both = *(const pair*)(own + ((isize)shape::row(i) * row_stride + i / 4 % shape::pieces * 8));
        tile.values[i] = both.values[0];
        tile.values[i + 1] = both.values[1];
      }
      return tile;
    }
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
// The same of one of the matrices of a view. Outside of these, there are no rows.
template <u32 R, u32 C, u32 N, class T> static __device__ __forceinline__ gr_tile_of_view<T, R, C, N> gr_tile_at(const T* view, gr_layout<3> layout, usize n, usize i, usize j) {
  const usize rows = n < layout.shape[0] ? layout.shape[1] : 0;
  const gr_layout<2> matrix = {{rows, layout.shape[2]}, {layout.strides[1], layout.strides[2]}};
  return gr_tile_at<R, C, N>(view + (isize)(rows == 0 ? 0 : n) * layout.strides[0], matrix, i, j);
}
// The tile of a view with its rows as columns: R rows of C elements.
template <class T, u32 R, u32 C, u32 N> struct gr_tile_transposed {
  gr_tile_of_view<T, C, R, N> tile;
  __device__ __forceinline__ gr_tile<T, R, C, N> load() const {
    return gr_tile_of_view<T, R, C, N>{tile.first, tile.column_stride, tile.row_stride, tile.columns, tile.rows}.load();
  }
};
template <class T, u32 R, u32 C, u32 N> static __device__ __forceinline__ gr_tile_transposed<T, C, R, N> gr_tile_transpose(const gr_tile_of_view<T, R, C, N>& tile) { return {tile}; }

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
// What the operations of a kernel need: the largest memory, all kinds of products, and the most steps of a product in memory.
template <class Use, class... Others> struct gr_tile_uses {
  typedef gr_tile_uses<Others...> rest;
  static constexpr u32 memory = Use::memory > rest::memory ? Use::memory : rest::memory;
  static constexpr u32 kinds = Use::kinds | rest::kinds, stages = Use::stages > rest::stages ? Use::stages : rest::stages;
};
template <class Use> struct gr_tile_uses<Use> : Use {};
struct gr_tile_no_product {
  static constexpr u32 memory = 0, kinds = 0, stages = 0;
};

// Each row to one value: the values of a thread, those of the four threads that share a row, those of the warps that do.
template <class T> static __device__ __forceinline__ T gr_tile_exchanged(T value, u32 distance) {
  if constexpr (sizeof(T) == 1) return (T)__shfl_xor_sync(0xffffffffu, (i32)value, distance);
  else return __shfl_xor_sync(0xffffffffu, value, distance);
}
template <class T, u32 R, u32 C, u32 N> struct gr_tile_rows_use : gr_tile_no_product {
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
