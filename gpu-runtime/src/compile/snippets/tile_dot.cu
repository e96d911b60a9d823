// Products of tiles.

// TF32: an f32 of which products use 10 of the 23 bits after the point.
struct gr_tf32 {
  f32 value;
};
static __device__ __forceinline__ u32 gr_tile_bits(gr_tf32 a) { return __float_as_uint(a.value); }
// What sums of products are computed in.
template <class T> static __device__ __forceinline__ f32 gr_tile_summand(T a) { return (f32)a; }
static __device__ __forceinline__ f64 gr_tile_summand(f64 a) { return a; }
static __device__ __forceinline__ i32 gr_tile_summand(i8 a) { return a; }
static __device__ __forceinline__ i32 gr_tile_summand(i32 a) { return a; }
static __device__ __forceinline__ f32 gr_tile_summand(gr_tf32 a) { return __uint_as_float(__float_as_uint(a.value) & 0xffffe000u); }
template <class T> using gr_tile_sum = decltype(gr_tile_summand(T()));
// Whether tensor cores read operands of the type along the sum only, so that they lie so in shared memory. An instruction reads 32 bytes along it.
template <class T> struct gr_tile_reads { static constexpr bool along_only = false; };
template <> struct gr_tile_reads<gr_tf32> { static constexpr bool along_only = true; };
template <> struct gr_tile_reads<i8> { static constexpr bool along_only = true; };
template <class T, u32 K> struct gr_tile_inner {
  static constexpr u32 value = gr_tile_reads<T>::along_only && K * sizeof(T) < 32 ? 32 / sizeof(T) : K;
};

// Where a tile lies, and whether its rows are the columns of the operand.
template <class Operand> struct gr_tile_stored {
  typedef Operand type;
  static constexpr bool is_transposed = false;
  static __device__ __forceinline__ const Operand& of(const Operand& operand) { return operand; }
};
template <class T, u32 R, u32 C, u32 N> struct gr_tile_stored<gr_tile_transposed<T, R, C, N>> {
  typedef gr_tile_of_view<T, C, R, N> type;
  static constexpr bool is_transposed = true;
  static __device__ __forceinline__ const gr_tile_of_view<T, C, R, N>& of(const gr_tile_transposed<T, R, C, N>& operand) { return operand.tile; }
};
// The same tile with other precision.
template <class T, u32 R, u32 C, u32 N> static __device__ __forceinline__ gr_tile_of_view<gr_tf32, R, C, N> gr_tile_tf32(const gr_tile_of_view<T, R, C, N>& tile) {
  return {(const gr_tf32*)tile.first, tile.row_stride, tile.column_stride, tile.rows, tile.columns};
}
template <class T, u32 R, u32 C, u32 N> static __device__ __forceinline__ gr_tile_transposed<gr_tf32, R, C, N> gr_tile_tf32(const gr_tile_transposed<T, R, C, N>& tile) {
  return {gr_tile_tf32(tile.tile)};
}
template <class T, u32 R, u32 C, u32 N> static __device__ __forceinline__ gr_tile<gr_tf32, R, C, N> gr_tile_tf32(const gr_tile<T, R, C, N>& tile) {
  gr_tile<gr_tf32, R, C, N> result;
#pragma unroll
  for (u32 at = 0; at < tile.count; at++) result.values[at].value = tile.values[at];
  return result;
}
// A part of an operand in shared memory: its rows one after another, or its columns.
template <class T, u32 ROWS, u32 COLUMNS, bool IS_TRANSPOSED> struct gr_tile_operand {
  static constexpr bool is_transposed = IS_TRANSPOSED;
  static constexpr u32 rows = IS_TRANSPOSED ? COLUMNS : ROWS, columns = IS_TRANSPOSED ? ROWS : COLUMNS;
  typedef gr_tile_part<T, rows, columns> part;
  part memory;
  __device__ __forceinline__ T& at(u32 row, u32 column) const { return IS_TRANSPOSED ? memory.at(column, row) : memory.at(row, column); }
  template <class Tile> __device__ __forceinline__ void fill(const Tile& tile, u32 row, u32 column) const {
    constexpr bool is_transposed = gr_tile_stored<Tile>::is_transposed;
    gr_tile_fill<is_transposed != IS_TRANSPOSED>(memory, gr_tile_stored<Tile>::of(tile), is_transposed ? column : row, is_transposed ? row : column);
  }
};
template <class T, u32 R, u32 K, bool IS_STORED_TRANSPOSED> using gr_tile_left_operand = gr_tile_operand<T, R, gr_tile_inner<T, K>::value, !gr_tile_reads<T>::along_only && IS_STORED_TRANSPOSED>;
template <class T, u32 K, u32 C, bool IS_STORED_TRANSPOSED> using gr_tile_right_operand = gr_tile_operand<T, gr_tile_inner<T, K>::value, C, gr_tile_reads<T>::along_only || IS_STORED_TRANSPOSED>;

// The operands of a product go through shared memory a step at a time: some columns of one and as many rows of the other.
template <class T, u32 R, u32 K, u32 C, bool IS_A_TRANSPOSED = false, bool IS_B_TRANSPOSED = false, u32 MOST = 4> struct gr_tile_steps {
  static constexpr u32 row_bytes = 2 * (R + C) * 128 <= gr_tile_most_memory ? 128 : 64;
  static constexpr u32 inner = gr_tile_inner<T, K>::value, columns = inner * sizeof(T) < row_bytes ? inner : row_bytes / sizeof(T);
  typedef gr_tile_left_operand<T, R, columns, IS_A_TRANSPOSED> left;
  typedef gr_tile_right_operand<T, columns, C, IS_B_TRANSPOSED> right;
  // The order of bytes in a row of 128 depends on the address, and repeats after 1024 of them.
  static constexpr u32 bytes = (left::part::bytes + right::part::bytes + 1023) / 1024 * 1024, fitting = gr_tile_most_memory / bytes;
  // As many steps are in memory at once.
  static constexpr u32 stages = fitting < MOST ? fitting : MOST;
  u8* memory;
  __device__ __forceinline__ left of_a() const { return {{memory}}; }
  __device__ __forceinline__ right of_b() const { return {{memory + left::part::bytes}}; }
  template <class A, class B> __device__ __forceinline__ void fill(const A& a, const B& b, u32 k) const {
    of_a().fill(a, 0, k);
    of_b().fill(b, k, 0);
  }
};

// The instructions for products of elements of a type: those of the snippet `tile_mma`, else one of numbers.
template <class T> struct gr_tile_products {
  static constexpr u32 kind = 1;
  template <class S, u32 R, u32 STEP, u32 C, u32 N, bool IS_A_TRANSPOSED, bool IS_B_TRANSPOSED>
  static __device__ __forceinline__ void add(gr_tile<S, R, C, N>& sum, gr_tile_operand<T, R, STEP, IS_A_TRANSPOSED> a, gr_tile_operand<T, STEP, C, IS_B_TRANSPOSED> b) {
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
// Whether they are computed transposed where the second operand lies across the sum, as the snippet `tile_turned` does, and the shared memory for that.
template <class T, class Sum> struct gr_tile_turned {
  static constexpr bool is_possible = false;
  static constexpr u32 memory = 0;
};
// One product, and products in a row. The runtime knows the numbers of kinds.
template <class T, u32 R, u32 K, u32 C, u32 N> struct gr_tile_dot_use {
  static constexpr u32 kinds = gr_tile_runs_on<T, gr_tile<gr_tile_sum<T>, R, C, N>>::value ? 4 : gr_tile_products<T>::kind;
  static constexpr u32 stages = 1, memory = gr_tile_steps<T, R, K, C>::bytes;
};
template <class T, u32 R, u32 K, u32 C, u32 N, u32 MOST = 4> struct gr_tile_dots_use {
  typedef gr_tile_steps<T, R, K, C, false, false, MOST> steps;
  static constexpr u32 kinds = gr_tile_dot_use<T, R, K, C, N>::kinds;
  static constexpr u32 stages = steps::stages, memory = steps::bytes * stages;
};
template <class T, class Sum, class Steps> static __device__ __forceinline__ void gr_tile_begin_products(Sum& sum, const Steps& step) {
  if constexpr (gr_tile_runs_on<T, Sum>::value) gr_tile_runs_on<T, Sum>::add(sum, step.of_a(), step.of_b());
  else gr_tile_products<T>::add(sum, step.of_a(), step.of_b());
}
// Waits for all products but those of the last LEFT steps.
template <class T, u32 LEFT, class Sum> static __device__ __forceinline__ void gr_tile_end_products(Sum& sum) {
  if constexpr (gr_tile_runs_on<T, Sum>::value) gr_tile_runs_on<T, Sum>::template wait<LEFT>(sum);
}

template <template <class, u32, u32, u32> class A, template <class, u32, u32, u32> class B, class T, class S, u32 R, u32 K, u32 C, u32 N>
static __device__ __forceinline__ void gr_tile_add_dot(gr_tile<S, R, C, N>& sum, const A<T, R, K, N>& a, const B<T, K, C, N>& b) {
  typedef gr_tile_steps<T, R, K, C, gr_tile_stored<A<T, R, K, N>>::is_transposed, gr_tile_stored<B<T, K, C, N>>::is_transposed> steps;
  const steps step = {gr_tile_memory()};
#pragma unroll 1
  for (u32 k = 0; k < K; k += steps::columns) {
    __syncthreads();
    step.fill(a, b, k);
    gr_tile_commit();
    gr_tile_wait<0>();
    gr_tile_begin_products<T>(sum, step);
    gr_tile_end_products<T, 0>(sum);
  }
}
template <class Result, class A, class B> static __device__ __forceinline__ Result gr_tile_dot(const A& a, const B& b) {
  Result sum = Result::zeros();
  gr_tile_add_dot(sum, a, b);
  return sum;
}

// Adds the products of the tiles of a row of `a` and of a column of `b`, of the pairs from `begin` to `end`. Where a step lies in whole tiles and pieces,
// those after it are on their way while it is multiplied: MOST are in memory at once, if they fit.
template <class A, class B> struct gr_tile_pair {
  A a;
  B b;
};
template <class A, class B> static __device__ __forceinline__ gr_tile_pair<A, B> gr_tile_pair_of(const A& a, const B& b) { return {a, b}; }
template <u32 MOST, template <class, u32, u32, u32> class A, template <class, u32, u32, u32> class B, class T, class S, u32 R, u32 K, u32 C, u32 N, class F>
static __device__ __forceinline__ void gr_tile_add_dots(gr_tile<S, R, C, N>& sum, usize begin, usize end, const F& pair, gr_tile_pair<A<T, R, K, N>, B<T, K, C, N>>*) {
  typedef gr_tile_stored<A<T, R, K, N>> stored_a;
  typedef gr_tile_stored<B<T, K, C, N>> stored_b;
  typedef gr_tile_steps<T, R, K, C, stored_a::is_transposed, stored_b::is_transposed, MOST> steps;
  typedef gr_tile<S, R, C, N> result;
  constexpr u32 step = steps::columns, parts = step < K ? K / step : 1, stages = steps::stages;
  if (begin >= end) return;
  const auto first = pair(begin);
  const auto& first_a = stored_a::of(first.a);
  const auto& first_b = stored_b::of(first.b);
  usize count = 0;
  typedef gr_tile_walk<T, steps::left::part::row_count, steps::left::part::column_count, N, stored_a::is_transposed && gr_tile_reads<T>::along_only> walk_a;
  typedef gr_tile_turned<T, result> turned;
  constexpr bool is_turned = !stored_b::is_transposed && turned::is_possible && stages > 2 && turned::memory <= stages * steps::bytes;
  typedef typename gr_tile_operand<T, step, C, stored_b::is_transposed || (gr_tile_reads<T>::along_only && !is_turned)>::part part_b;
  typedef gr_tile_walk<T, part_b::row_count, part_b::column_count, N, !stored_b::is_transposed && gr_tile_reads<T>::along_only && !is_turned> walk_b;
  if constexpr (stages > 1 && step <= K) {
    if (walk_a::can_copy(first_a) && walk_b::can_copy(first_b)) {
      const usize inside_a = stored_a::is_transposed ? first_a.rows : first_a.columns;
      const usize inside_b = stored_b::is_transposed ? first_b.columns : first_b.rows;
      const usize inside = (inside_a < inside_b ? inside_a : inside_b) / K;
      count = (inside < end - begin ? inside : end - begin) * parts;
    }
  }
  if (count != 0) {
    constexpr bool runs_on = gr_tile_runs_on<T, result>::value && stages > 2;
    // A step is loaded to where the one before this was, or if that one's products may run on, the one before that.
    constexpr u32 ahead = runs_on ? stages - 2 : stages > 1 ? stages - 1 : 1;
    walk_a a(first_a);
    walk_b b(first_b);
    if constexpr (stored_a::is_transposed) a.go_down();
    else a.go_right();
    if constexpr (stored_b::is_transposed) b.go_right();
    else b.go_down();
    const gr_tile_place memory = gr_tile_place_of(gr_tile_memory());
    u32 filled = 0, used = 0;
    usize left = count;
    const auto load = [&] {
      if (left != 0) {
        left--;
        a.template copy<is_turned>(memory + filled, left != 0);
        b.template copy<is_turned>(memory + filled + steps::left::part::bytes, left != 0);
        filled = filled == (stages - 1) * steps::bytes ? 0 : filled + steps::bytes;
      }
      gr_tile_commit();
    };
    const auto start = [&] {
      a.begin();
      b.begin();
      __syncthreads();
#pragma unroll 1
      for (u32 at = 0; at < ahead; at++) load();
    };
    const auto multiply = [&] {
      gr_tile_wait<ahead - 1>();
      const steps operands = {gr_tile_memory() + used};
      gr_tile_begin_products<T>(sum, operands);
      used = used == (stages - 1) * steps::bytes ? 0 : used + steps::bytes;
    };
    if constexpr (is_turned) {
      turned::template add_dots<steps>(sum, count, start, load);
    } else {
      start();
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
        if constexpr (!runs_on) gr_tile_end_products<T, 0>(sum);
        load();
        if constexpr (runs_on) gr_tile_end_products<T, 1>(sum);
      }
      gr_tile_end_products<T, 0>(sum);
    }
  }
#pragma unroll 1
  for (usize k = begin + count / parts; k < end; k++) {
    const auto rest = pair(k);
    gr_tile_add_dot(sum, rest.a, rest.b);
  }
}
template <u32 MOST = 4, class Sum, class F> static __device__ __forceinline__ void gr_tile_add_dots(Sum& sum, usize begin, usize end, const F& pair) {
  gr_tile_add_dots<MOST>(sum, begin, end, pair, (decltype(pair(begin))*)nullptr);
}
