// Loops over tiles of views, as pipelines: while a block computes with the tiles of a step, those of the next are copied to shared memory.

// A tile in shared memory, whole.
template <class T, u32 R, u32 C> struct gr_tile_slot : gr_tile_no_product {
  static constexpr u32 memory = (R * C * (u32)sizeof(T) + 1023) / 1024 * 1024;
};
template <class T, u32 R, u32 K> using gr_tile_left_slot = gr_tile_slot<T, R, gr_tile_inner<T, K>::value>;
template <class T, u32 K, u32 C> using gr_tile_right_slot = gr_tile_slot<T, gr_tile_inner<T, K>::value, C>;
// The first operand of a product that is a tile in registers: there, if each warp has whole rows and its instructions read them, else in shared memory.
template <class T, u32 R, u32 C, u32 N> struct gr_tile_packed;
template <class Tile> struct gr_tile_has_rows;
template <class T, u32 R, u32 K, u32 N> struct gr_tile_has_rows<gr_tile<T, R, K, N>> {
  static constexpr bool value = gr_tile_products<T>::kind == 2 && sizeof(T) == 2 && gr_tile_shape<R, K, N>::warps == 1;
  typedef gr_tile_packed<T, R, K, N> packed;
};
template <class T, u32 R, u32 K, u32 N> struct gr_tile_left_use : gr_tile_left_slot<T, R, K> {
  static constexpr bool is_packed = gr_tile_has_rows<gr_tile<T, R, K, N>>::value;
  // One that does not fit is never there: the products of its loop copy parts of it themselves.
  static constexpr bool fits = is_packed || gr_tile_left_slot<T, R, K>::memory <= gr_tile_most_memory;
  static constexpr u32 memory = is_packed || !fits ? 0 : gr_tile_left_slot<T, R, K>::memory;
};
// A product of a loop: of a left operand that all steps use, that is another tile in each step, or that is computed. The right one is another tile in each.
template <class T, u32 R, u32 K, u32 C, u32 N> struct gr_tile_product_of_kept : gr_tile_dot_use<T, R, K, C, N> {
  static constexpr u32 threads = N, copies = 1, kept = gr_tile_left_slot<T, R, K>::memory, of_left = 0, of_right = gr_tile_right_slot<T, K, C>::memory, step = of_right;
  static constexpr bool runs_on = gr_tile_runs_on<T, gr_tile<gr_tile_sum<T>, R, C, N>>::value, shares = false, fits = true;
};
template <class T, u32 R, u32 K, u32 C, u32 N> struct gr_tile_product_of_moving : gr_tile_product_of_kept<T, R, K, C, N> {
  typedef gr_tile_product_of_kept<T, R, K, C, N> base;
  static constexpr u32 copies = 2, kept = 0, of_left = gr_tile_left_slot<T, R, K>::memory, step = of_left + base::of_right;
};
template <class T, u32 R, u32 K, u32 C, u32 N> struct gr_tile_product_of_computed : gr_tile_product_of_kept<T, R, K, C, N> {
  typedef gr_tile_product_of_kept<T, R, K, C, N> base;
  static constexpr u32 kept = 0;
  static constexpr bool fits = gr_tile_left_use<T, R, K, N>::fits;
  static constexpr bool runs_on = base::runs_on && gr_tile_has_rows<gr_tile<T, R, K, N>>::value;
};
// The same if a product before it has copied the left operand, or the right one.
template <class Product, bool IS_LEFT, bool IS_RIGHT> struct gr_tile_product_of_shared : Product {
  static constexpr u32 copies = Product::copies - IS_LEFT - IS_RIGHT, step = Product::step - (IS_LEFT ? Product::of_left : 0) - (IS_RIGHT ? Product::of_right : 0);
  static constexpr bool shares = true;
};
// The memory of a loop, which follows that of the other operations in it: the tiles that all steps use, those of at most MOST steps, and a note of each thread.
// If that is too much, the products copy their operands themselves. Two steps are as good as three but for two groups of four warps that take turns, for
// which nothing in the loop may go from one to the other.
template <u32 MOST, class Others, class Product, class... Products> struct gr_tile_loop {
  typedef gr_tile_uses<Product, Products...> products;
  static constexpr u32 copies = (Product::copies + ... + Products::copies), step = (Product::step + ... + Products::step);
  static constexpr u32 kept = (Others::memory + 1023) / 1024 * 1024, first = kept + (Product::kept + ... + Products::kept), threads = Product::threads, notes = threads * 4;
  static constexpr bool fit = (Product::fits && ... && Products::fits) && first + notes <= gr_tile_most_memory;
  static constexpr u32 fitting = !fit ? 0 : (gr_tile_most_memory - first - notes) / step, most = fitting < MOST ? fitting : MOST;
  static constexpr bool all_run_on = (Product::runs_on && ... && Products::runs_on), takes_turns = most == 3 && Others::memory == 0 && threads == 256 && all_run_on;
  static constexpr u32 stages = most == 3 && !takes_turns ? 2 : most, last = stages == 0 ? 0 : (stages - 1) * step;
  static constexpr u32 memory = stages == 0 ? products::memory : first + stages * step + notes, kinds = products::kinds;
  // Whether products of one step have a copy in common, and whether all run on while their threads compute what does not depend on them.
  static constexpr bool shares = (Product::shares || ... || Products::shares), runs_on = stages == 2 && all_run_on;
};
// A tile as an operand in shared memory, the left or the right one.
template <class Tile, bool IS_RIGHT> struct gr_tile_operand_of;
template <template <class, u32, u32, u32> class Tile, class T, u32 R, u32 K, u32 N> struct gr_tile_operand_of<Tile<T, R, K, N>, false> {
  typedef T element;
  typedef gr_tile_left_operand<T, R, K, gr_tile_stored<Tile<T, R, K, N>>::is_transposed> type;
  static constexpr u32 memory = gr_tile_left_slot<T, R, K>::memory;
};
template <template <class, u32, u32, u32> class Tile, class T, u32 K, u32 C, u32 N> struct gr_tile_operand_of<Tile<T, K, C, N>, true> {
  typedef T element;
  typedef gr_tile_right_operand<T, K, C, gr_tile_stored<Tile<T, K, C, N>>::is_transposed> type;
  static constexpr u32 memory = gr_tile_right_slot<T, K, C>::memory;
};

// A tile that all steps from `begin` to `end` use, BEFORE bytes after the first of them.
template <class Loop, u32 BEFORE, class Tile> struct gr_tile_kept {
  typedef typename gr_tile_operand_of<Tile, false>::element element;
  typedef typename gr_tile_operand_of<Tile, false>::type operand;
  static constexpr u32 after = BEFORE + gr_tile_operand_of<Tile, false>::memory;
  const Tile tile;
  __device__ __forceinline__ gr_tile_kept(usize begin, usize end, const Tile& tile) : tile(tile) {
    // A copy that nothing waits for would be on its way when others need its place.
    if (Loop::stages != 0 && begin < end) at().fill(tile, 0, 0);
  }
  __device__ __forceinline__ operand at() const { return {{gr_tile_memory() + Loop::kept + BEFORE}}; }
};
// One tile of each step, BEFORE bytes after the first of the step. All tiles of a step are used, in their order. Another stream may have copied it.
template <class Loop, u32 BEFORE, bool IS_RIGHT, class F, bool COPIES = true> struct gr_tile_stream {
  typedef decltype(((F*)nullptr)->operator()(0)) tile;
  typedef typename gr_tile_operand_of<tile, IS_RIGHT>::element element;
  typedef typename gr_tile_operand_of<tile, IS_RIGHT>::type operand;
  static constexpr u32 after = BEFORE + gr_tile_operand_of<tile, IS_RIGHT>::memory;
  typedef gr_tile_stored<tile> stored;
  typedef gr_tile_walk<element, operand::part::row_count, operand::part::column_count, Loop::threads> walk;
  // Whether rows are copied as they lie.
  static constexpr bool is_straight = stored::is_transposed == operand::is_transposed && stored::type::row_count == operand::part::row_count && stored::type::column_count == operand::part::column_count;
  const F& tile_at;
  usize used, copied, end;
  // Where the steps of these two are in memory.
  u32 used_at = 0, copied_at = 0;
  // Where the thread's first piece is in memory, and in each tile: all are of one view.
  u32 place_of_thread;
  isize first_of_thread;
  __device__ __forceinline__ gr_tile_stream(const F& tile_at, usize begin, usize end)
      : tile_at(tile_at), used(begin), copied(begin), end(end), place_of_thread(walk::place_of_thread()), first_of_thread(walk::first_of_thread(stored::of(tile_at(begin)).row_stride)) {
#if defined(__CUDACC_RTC__)
    // Else the compiler computes them in each step.
    if constexpr (COPIES && is_straight) asm volatile("" : "+r"(place_of_thread), "+l"(first_of_thread));
#endif
    if constexpr (Loop::stages != 0) copy();
  }
  // Begins to copy the next tile.
  __device__ __forceinline__ void copy() {
    if constexpr (!COPIES) return;
    const operand place = take(copied_at);
    if (copied < end) fill(place, tile_at(copied));
    gr_tile_commit();
    copied++;
  }
  __device__ __forceinline__ void fill(const operand& place, const tile& tile) const {
    if constexpr (is_straight) {
      const auto& from = stored::of(tile);
      if (from.is_whole() && from.has_pieces()) return walk::copy_whole(gr_tile_place_of(place.memory.memory), place_of_thread, from.first + first_of_thread, from.row_stride);
    }
    place.fill(tile, 0, 0);
  }
  static __device__ __forceinline__ operand take(u32& at) {
    const operand place = {{gr_tile_memory() + Loop::first + BEFORE + at}};
    if constexpr (Loop::stages > 1) at = at == Loop::last ? 0 : at + Loop::step;
    return place;
  }
  __device__ __forceinline__ operand next() {
    used++;
    return take(used_at);
  }
};
template <class Loop, u32 BEFORE, class Tile> static __device__ __forceinline__ gr_tile_kept<Loop, BEFORE, Tile> gr_tile_keep(usize begin, usize end, const Tile& tile) { return {begin, end, tile}; }
template <class Loop, u32 BEFORE, bool IS_RIGHT, class F> static __device__ __forceinline__ gr_tile_stream<Loop, BEFORE, IS_RIGHT, F> gr_tile_stream_of(usize begin, usize end, const F& tile_at) {
  return {tile_at, begin, end};
}
// The tiles of a stream as an operand of another product, in the order of `tile_at`.
template <bool IS_RIGHT, class Loop, u32 BEFORE, bool IS_RIGHT_OF_FIRST, class F, class G>
static __device__ __forceinline__ gr_tile_stream<Loop, BEFORE, IS_RIGHT, G, false> gr_tile_stream_again(const gr_tile_stream<Loop, BEFORE, IS_RIGHT_OF_FIRST, F>& first, const G& tile_at) {
  static_assert(sizeof(typename gr_tile_stream<Loop, BEFORE, IS_RIGHT, G, false>::element) == 2, "operands that are read in either order");
  return {tile_at, first.used, first.end};
}

// Registers of a product that ran on are used for other things from here on.
template <class Left> static __device__ __forceinline__ void gr_tile_tie_left(const Left&) {}
template <class T, u32 R, u32 K, u32 N> static __device__ __forceinline__ void gr_tile_tie_left(gr_tile_packed<T, R, K, N>& packed) {
#pragma unroll
  for (u32 at = 0; at < sizeof(packed.words) / 4; at++) asm volatile("" : "+r"(packed.words[at])::"memory");
}
// The first operand of a product as it is multiplied.
template <class T, u32 R, u32 K, u32 N> static __device__ __forceinline__ auto gr_tile_left(const gr_tile<T, R, K, N>& tile) {
  if constexpr (gr_tile_left_use<T, R, K, N>::is_packed) {
    return gr_tile_packed<T, R, K, N>(tile);
  } else {
    const gr_tile_left_operand<T, R, K, false> staged = {{gr_tile_memory()}};
    __syncthreads();
    staged.fill(tile, 0, 0);
    return staged;
  }
}
template <class Loop, u32 BEFORE, class Tile> static __device__ __forceinline__ auto gr_tile_left(const gr_tile_kept<Loop, BEFORE, Tile>& kept) { return kept.at(); }
template <class Loop, u32 BEFORE, class F, bool COPIES> static __device__ __forceinline__ auto gr_tile_left(gr_tile_stream<Loop, BEFORE, false, F, COPIES>& stream) { return stream.next(); }
// The same where a product copies it.
template <class Tile> static __device__ __forceinline__ const Tile& gr_tile_itself(const Tile& tile) { return tile; }
template <class Loop, u32 BEFORE, class Tile> static __device__ __forceinline__ const Tile& gr_tile_itself(const gr_tile_kept<Loop, BEFORE, Tile>& kept) { return kept.tile; }
template <class Loop, u32 BEFORE, bool IS_RIGHT, class F, bool COPIES> static __device__ __forceinline__ auto gr_tile_itself(gr_tile_stream<Loop, BEFORE, IS_RIGHT, F, COPIES>& stream) { return stream.tile_at(stream.used++); }
// Whether an operand is another tile in each step. Begins to copy the next of them.
template <class Tile> struct gr_tile_moves { static constexpr bool value = false; };
template <class Loop, u32 BEFORE, bool IS_RIGHT, class F, bool COPIES> struct gr_tile_moves<gr_tile_stream<Loop, BEFORE, IS_RIGHT, F, COPIES>> { static constexpr bool value = true; };
// Whether it is computed and goes through shared memory.
template <class Tile> struct gr_tile_is_staged { static constexpr bool value = false; };
template <class Tile> struct gr_tile_is_staged<const Tile> : gr_tile_is_staged<Tile> {};
template <class T, u32 R, u32 K, u32 N> struct gr_tile_is_staged<gr_tile<T, R, K, N>> { static constexpr bool value = !gr_tile_left_use<T, R, K, N>::is_packed; };
template <class A, class B> static __device__ __forceinline__ void gr_tile_copy_next(A& a, B& b) {
  if constexpr (gr_tile_moves<A>::value) a.copy();
  b.copy();
}

// `sum += a.dot(b)`, or without ADDS the product alone.
template <class T, bool ADDS, class Sum, class A, class B> static __device__ __forceinline__ void gr_tile_begin_products(Sum& sum, const A& a, const B& b) {
  if constexpr (gr_tile_runs_on<T, Sum>::value) {
    gr_tile_runs_on<T, Sum>::template add<ADDS>(sum, a, b);
  } else {
    if constexpr (!ADDS) sum = Sum::zeros();
    gr_tile_products<T>::add(sum, a, b);
  }
}
// A step begins: the tiles of its streams are there, and those of the next step on their way.
template <class Loop, class... Streams> static __device__ __forceinline__ void gr_tile_begin_step(Streams&... streams) {
  if constexpr (Loop::stages == 2) {
    gr_tile_wait<0>();
    (streams.copy(), ...);
  }
}
// It ends. With one step in memory, products that share copies leave it to the end to begin the next ones.
template <class Loop, class... Streams> static __device__ __forceinline__ void gr_tile_end_step(Streams&... streams) {
  if constexpr (Loop::stages == 1 && Loop::shares) {
    __syncthreads();
    (streams.copy(), ...);
  }
}
template <bool ADDS, class Sum, class A, class Loop, u32 BEFORE, class F, bool COPIES>
static __device__ __forceinline__ void gr_tile_multiply(Sum& sum, A& a, gr_tile_stream<Loop, BEFORE, true, F, COPIES>& b) {
  typedef typename A::element T;
  if constexpr (Loop::stages == 0) {
    if constexpr (!ADDS) sum = Sum::zeros();
    gr_tile_add_dot(sum, gr_tile_itself(a), gr_tile_itself(b));
  } else {
    const auto left = gr_tile_left(a);
    // One copy of each stream is on its way, and those for this product began before all others.
    if constexpr (Loop::stages == 1) gr_tile_wait<Loop::shares ? 0 : Loop::copies - (gr_tile_moves<A>::value ? 2 : 1)>();
    else if constexpr (gr_tile_is_staged<A>::value) gr_tile_share();
    gr_tile_begin_products<T, ADDS>(sum, left, b.next());
    gr_tile_end_products<T, 0>(sum);
    if constexpr (Loop::stages == 1 && !Loop::shares) {
      __syncthreads();
      gr_tile_copy_next(a, b);
    }
  }
}
template <class Sum, class A, class Loop, u32 BEFORE, class F, bool COPIES> static __device__ __forceinline__ void gr_tile_add_dot(Sum& sum, A&& a, gr_tile_stream<Loop, BEFORE, true, F, COPIES>& b) {
  gr_tile_multiply<true>(sum, a, b);
}
template <class Result, class A, class Loop, u32 BEFORE, class F, bool COPIES> static __device__ __forceinline__ Result gr_tile_dot(A&& a, gr_tile_stream<Loop, BEFORE, true, F, COPIES>& b) {
  Result sum;
  gr_tile_multiply<false>(sum, a, b);
  return sum;
}
// A product whose result is used later, and its left operand, which stays in its registers until then.
template <class T, class Left> struct gr_tile_running {
  Left left;
};
struct gr_tile_complete {};
// Begins it, as gr_tile_multiply does: in a loop whose products do not run on, this is all.
template <bool ADDS, class Sum, class A, class Loop, u32 BEFORE, class F, bool COPIES>
static __device__ __forceinline__ auto gr_tile_begin_dot(Sum& sum, A&& a, gr_tile_stream<Loop, BEFORE, true, F, COPIES>& b) {
  if constexpr (Loop::runs_on) {
    const auto left = gr_tile_left(a);
    typedef typename gr_tile_stream<Loop, BEFORE, true, F, COPIES>::element T;
    gr_tile_begin_products<T, ADDS>(sum, left, b.next());
    return gr_tile_running<T, decltype(gr_tile_left(a))>{left};
  } else {
    gr_tile_multiply<ADDS>(sum, a, b);
    return gr_tile_complete();
  }
}
// Waits for it, and all but the LATER ones that began after it.
template <u32 LATER, class Sum> static __device__ __forceinline__ void gr_tile_end_dot(Sum&, gr_tile_complete) {}
template <u32 LATER, class Sum, class T, class Left> static __device__ __forceinline__ void gr_tile_end_dot(Sum& sum, gr_tile_running<T, Left>& product) {
  gr_tile_end_products<T, LATER>(sum);
  gr_tile_tie_left(product.left);
}

// For each k from `begin` to `end`: `x = step(k, a.dot(b_at(k)))` and then `sum += x.dot(d_at(k))`. Where products run while their threads go on, those of
// the next step's scores begin with those that are added to the sum, and these go on until `step` calls gr_tile_end_sum.
template <class Loop, class Scores, class A, class B, class Sum, class D, class F>
static __device__ __forceinline__ void gr_tile_for_each(usize begin, usize end, const A& a, const B& b_at, Sum& sum, const D& d_at, const F& step) {
  typedef decltype(step(begin, Scores())) computed;
  typedef typename gr_tile_operand_of<A, false>::element of_scores;
  typedef typename computed::element of_sum;
  if (begin >= end) return;
  __syncthreads();
  const auto kept = gr_tile_keep<Loop, 0>(begin, end, a);
  gr_tile_stream<Loop, 0, true, B> b(b_at, begin, end);
  if constexpr (Loop::stages >= 2 && Loop::all_run_on) {
    gr_tile_stream<Loop, decltype(b)::after, true, D> d(d_at, begin, end);
    // The second group of warps comes to the barrier of a step when its products have begun, the first one before that: so the tensor cores multiply for
    // one while the other computes. The tiles of a step are in memory until both have passed the barrier of the next but one.
    const bool is_late = Loop::takes_turns && threadIdx.x >= 128;
    Scores scores;
    gr_tile_wait<1>();
    gr_tile_begin_products<of_scores, false>(scores, kept.at(), b.next());
    b.copy();
    if (is_late) {
      gr_tile_wait<0>();
      b.copy();
      d.copy();
    }
    gr_tile_end_products<of_scores, 0>(scores);
    typename gr_tile_has_rows<computed>::packed x(step(begin, scores));
#pragma unroll 1
    for (usize k = begin + 1; k < end; k++) {
      if (!is_late) gr_tile_wait<0>();
      gr_tile_begin_products<of_scores, false>(scores, kept.at(), b.next());
      gr_tile_begin_products<of_sum, true>(sum, x, d.next());
      if (is_late) gr_tile_wait<0>();
      b.copy();
      d.copy();
      gr_tile_end_products<of_scores, 1>(scores);
      x = typename gr_tile_has_rows<computed>::packed(step(k, scores));
    }
    if (!is_late) gr_tile_wait<0>();
    gr_tile_begin_products<of_sum, true>(sum, x, d.next());
    gr_tile_end_products<of_sum, 0>(sum);
  } else {
    gr_tile_stream<Loop, decltype(b)::after, true, D> d(d_at, begin, end);
#pragma unroll 1
    for (usize k = begin; k < end; k++) {
      gr_tile_begin_step<Loop>(b, d);
      gr_tile_add_dot(sum, step(k, gr_tile_dot<Scores>(kept, b)), d);
    }
  }
}
// Ends the products that are added to the sum, after what is `computed`: the compiler moves a wait to before what has nothing to do with it, but not to
// before a write.
template <class Loop, class T, class Sum> static __device__ __forceinline__ void gr_tile_end_sum(Sum& sum) {
  gr_tile_end_products<T, 0>(sum);
}
template <class Loop, class T, class Sum, u32 R, u32 N> static __device__ __forceinline__ void gr_tile_end_sum(Sum& sum, const gr_column<f32, R, N>& computed) {
  if constexpr (Loop::stages >= 2 && gr_tile_runs_on<T, Sum>::value) {
    f32 note = computed.values[0];
#pragma unroll
    for (u32 at = 1; at < computed.count; at++) note += computed.values[at];
    ((volatile f32*)(gr_tile_memory() + Loop::memory - Loop::notes))[threadIdx.x] = note;
  }
  gr_tile_end_sum<Loop, T>(sum);
}
