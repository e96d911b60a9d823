// Products of tiles.

// What sums of products are computed in.
template <class T> static __device__ __forceinline__ f32 gr_tile_summand(T a) { return (f32)a; }
static __device__ __forceinline__ f64 gr_tile_summand(f64 a) { return a; }
static __device__ __forceinline__ i32 gr_tile_summand(i8 a) { return a; }
static __device__ __forceinline__ i32 gr_tile_summand(i32 a) { return a; }

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
    gr_tile_fill(of_a(), a, 0, k);
    gr_tile_fill(of_b(), b, k, 0);
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
template <class T, u32 LEFT, class Sum> static __device__ __forceinline__ void gr_tile_end_products(Sum& sum) {
  if constexpr (gr_tile_runs_on<T, Sum>::value) gr_tile_runs_on<T, Sum>::template wait<LEFT>(sum);
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
    gr_tile_walk<T, R, step, N> a(first.a);
    gr_tile_walk<T, step, C, N> b(first.b);
    a.go_right();
    b.go_down();
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
      gr_tile_begin_products<T>(sum, operands);
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
      if constexpr (!runs_on) gr_tile_end_products<T, 0>(sum);
      load();
      if constexpr (runs_on) gr_tile_end_products<T, 1>(sum);
    }
    gr_tile_end_products<T, 0>(sum);
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
