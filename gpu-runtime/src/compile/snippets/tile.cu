// Tiles: matrices of R rows and C columns in the registers of a block of N threads.
//
// Every tile lies as the accumulators of mma.sync do. A warp has a part of the rows and of the columns, in pieces of 16 rows and 8 columns;
// of a piece, a thread has two neighbours in a row and two in the row 8 below. How the rows are divided depends on their number alone, so
// that a column, which has a value for each row, fits every tile with as many. If there are more warps than pieces, the others have copies.
template <u32 R, u32 N> struct gr_tile_rows_of {
  static constexpr u32 warps = N / 32 < R / 32 ? N / 32 : R < 64 ? 1 : R / 32;
  static constexpr u32 pieces = R / 16 / warps;
  // The row of the thread's value `at` of a column.
  static __device__ __forceinline__ u32 row(u32 at) { return threadIdx.x / 32 % warps * (16 * pieces) + at / 2 * 16 + at % 2 * 8 + threadIdx.x % 32 / 4; }
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
// Different tiles of one size have different elements, and each element of a tile is always the same thread's.
template <class T, u32 R, u32 C, u32 N> static __device__ __forceinline__ void gr_tile_store(T* view, gr_layout<2> layout, usize i, usize j, const gr_tile<T, R, C, N>& tile) {
  typedef gr_tile_shape<R, C, N> shape;
  const usize row = gr_tile_first(i, R, layout.shape[0]), column = gr_tile_first(j, C, layout.shape[1]);
  const usize rows = layout.shape[0] - row, columns = layout.shape[1] - column;
  T* const first = view + layout.offset(row, column);
  if (!shape::is_first()) return;
#pragma unroll
  for (u32 at = 0; at < shape::count; at++) {
    const u32 r = shape::row(at), c = shape::column(at);
    if (r < rows && c < columns) first[(isize)r * layout.strides[0] + (isize)c * layout.strides[1]] = tile.values[at];
  }
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

// The shared memory of all operations. Each begins with a barrier, so that the one before it has ended.
static constexpr u32 gr_tile_bytes = 32768;
static __device__ __forceinline__ u8* gr_tile_memory() {
  alignas(128) __shared__ u8 memory[gr_tile_bytes];
  return memory;
}

// Each row to one value: the values of a thread, those of the four threads that share a row, those of the warps that do.
template <class T> static __device__ __forceinline__ T gr_tile_exchanged(T value, u32 distance) {
  if constexpr (sizeof(T) == 1) return (T)__shfl_xor_sync(0xffffffffu, (i32)value, distance);
  else return __shfl_xor_sync(0xffffffffu, value, distance);
}
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

// 16 bytes, to and from where 16 divides the address.
struct alignas(16) gr_tile_piece {
  u64 low, high;
};
template <class T> static __device__ __forceinline__ void gr_tile_copy(T* to, const T* from) {
#ifdef __CUDACC_RTC__
  *(gr_tile_piece*)to = *(const gr_tile_piece*)from;
#else
  __builtin_memcpy(to, from, sizeof(gr_tile_piece));
#endif
}

// A part of an operand in shared memory, row after row, in pieces of 16 bytes. The pieces of a row change places with the row, so that
// eight rows of one column of pieces lie in different banks.
template <class T, u32 COLUMNS> struct gr_tile_part {
  static constexpr u32 per_piece = 16 / sizeof(T);
  static constexpr u32 pieces = COLUMNS / per_piece;
  T* values;
  static __device__ __forceinline__ u32 place(u32 row, u32 piece) {
    const u32 turn = pieces >= 8 ? row % 8 : row / (8 / pieces) % pieces;
    return (row * pieces + (piece ^ turn)) * per_piece;
  }
  __device__ __forceinline__ T& at(u32 row, u32 column) const { return values[place(row, column / per_piece) + column % per_piece]; }
  // The rows from `row` on and the columns from `column` on of a tile, ROWS of them.
  template <u32 ROWS, u32 R, u32 C, u32 N> __device__ __forceinline__ void fill(const gr_tile_of_view<T, R, C, N>& tile, u32 row, u32 column) const {
    const T* const from = tile.first + ((isize)row * tile.row_stride + (isize)column * tile.column_stride);
    const bool is_inside = row + ROWS <= tile.rows && column + COLUMNS <= tile.columns;
    if (is_inside && tile.column_stride == 1 && ((usize)from | (usize)tile.row_stride * sizeof(T)) % 16 == 0) {
#pragma unroll
      for (u32 number = threadIdx.x; number < ROWS * pieces; number += N) {
        const u32 r = number / pieces, piece = number % pieces;
        gr_tile_copy(values + place(r, piece), from + ((isize)r * tile.row_stride + piece * per_piece));
      }
      return;
    }
#pragma unroll 1
    for (u32 number = threadIdx.x; number < ROWS * pieces; number += N) {
      const u32 r = number / pieces, piece = number % pieces;
      T* const to = values + place(r, piece);
#pragma unroll
      for (u32 i = 0; i < per_piece; i++) to[i] = tile.at(row + r, column + piece * per_piece + i);
    }
  }
  template <u32 ROWS, u32 R, u32 C, u32 N> __device__ __forceinline__ void fill(const gr_tile<T, R, C, N>& tile, u32 row, u32 column) const {
    typedef gr_tile_shape<R, C, N> shape;
    if (!shape::is_first()) return;
#pragma unroll
    for (u32 i = 0; i < shape::count; i++) {
      const u32 r = shape::row(i) - row, c = shape::column(i) - column;
      if (r < ROWS && c < COLUMNS) at(r, c) = tile.values[i];
    }
  }
};

// The instructions for products of elements of a type: those of the snippet `tile_mma`, else one of numbers.
template <class T> struct gr_tile_products {
  template <class S, u32 R, u32 STEP, u32 C, u32 N> static __device__ __forceinline__ void add(gr_tile<S, R, C, N>& sum, gr_tile_part<T, STEP> a, gr_tile_part<T, C> b) {
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

// Both operands go through shared memory, a few columns of one and rows of the other at a time.
template <template <class, u32, u32, u32> class A, template <class, u32, u32, u32> class B, class T, class S, u32 R, u32 K, u32 C, u32 N>
static __device__ __forceinline__ void gr_tile_add_dot(gr_tile<S, R, C, N>& sum, const A<T, R, K, N>& a, const B<T, K, C, N>& b) {
  constexpr u32 most = sizeof(T) == 1 ? 32 : 64 / sizeof(T), step = K < most ? K : most;
  static_assert((R + C) * step * sizeof(T) <= gr_tile_bytes, "a step of a product fits into the memory");
  const gr_tile_part<T, step> of_a = {(T*)gr_tile_memory()};
  const gr_tile_part<T, C> of_b = {of_a.values + R * step};
#pragma unroll 1
  for (u32 k = 0; k < K; k += step) {
    __syncthreads();
    of_a.template fill<R>(a, 0, k);
    of_b.template fill<step>(b, k, 0);
    __syncthreads();
    gr_tile_products<T>::add(sum, of_a, of_b);
  }
}
template <class Result, class A, class B> static __device__ __forceinline__ Result gr_tile_dot(const A& a, const B& b) {
  Result sum = Result::zeros();
  gr_tile_add_dot(sum, a, b);
  return sum;
}
