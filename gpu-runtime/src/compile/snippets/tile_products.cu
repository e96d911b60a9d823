// Products of rows of tiles and columns of tiles, each with what becomes of its elements, by blocks that stay until all tiles are computed.

// Where the tiles of a result are. A block has every `gridDim.x`th: those that blocks compute at the same time are near each other, and so share operands.
struct gr_tile_order {
  u32 down, across;
  struct index {
    u32 matrix, i, j;
  };
  static constexpr u32 group = 8;
  __device__ __forceinline__ gr_tile_order(usize rows, usize columns, u32 r, u32 c) : down((u32)((rows + r - 1) / r)), across((u32)((columns + c - 1) / c)) {}
  __device__ __forceinline__ usize count(usize matrices) const { return matrices * down * across; }
  __device__ __forceinline__ index at(usize number) const {
    const u32 of_matrix = down * across, matrix = (u32)(number / of_matrix), rest = (u32)(number % of_matrix);
    const u32 first = rest / (group * across) * group, rows = down - first < group ? down - first : group, in_group = rest % (group * across);
    return {matrix, first + in_group % rows, in_group / rows};
  }
};

// How a block multiplies such operands, and stores numbers of type S.
template <class T, class S, u32 R, u32 K, u32 C, u32 N, bool IS_B_TRANSPOSED> struct gr_tile_chain : gr_tile_no_product {
  typedef gr_tile_steps<T, R, K, C, false, IS_B_TRANSPOSED> steps;
  typedef gr_tile<gr_tile_sum<T>, R, C, N> sum;
  // A tile goes through shared memory in parts of so many columns.
  static constexpr u32 most_bytes = 32768, columns = R * C * (u32)sizeof(S) <= most_bytes ? C : most_bytes / (R * (u32)sizeof(S));
  typedef gr_tile_part<S, R, columns> part;
  static constexpr u32 loaded = steps::stages * steps::bytes;
  // Whether the first steps of the next tile are loaded while this one is stored.
  static constexpr bool runs_on = gr_tile_runs_on<T, sum>::value && steps::stages > 2 && steps::columns == K && loaded + part::bytes <= gr_tile_most_memory;
  static constexpr u32 memory = runs_on ? loaded + part::bytes : loaded > part::bytes ? loaded : part::bytes;
  static __device__ __forceinline__ part staged() { return {gr_tile_memory() + (runs_on ? loaded : 0)}; }
};

// Calls `finish` with the number and the sum of each tile of the block: that of the products of `pair(number, k)` for all k, along which there are `inner`
// elements. The rows of operands begin where 16 divides the address.
template <class T, class S, u32 R, u32 K, u32 C, u32 N, bool IS_B_TRANSPOSED, class F, class G>
static __device__ __forceinline__ void gr_tile_run_chain(gr_tile_chain<T, S, R, K, C, N, IS_B_TRANSPOSED>, usize end, usize inner, const F& pair, const G& finish) {
  typedef gr_tile_chain<T, S, R, K, C, N, IS_B_TRANSPOSED> chain;
  typedef typename chain::steps steps;
  typedef typename chain::sum sum_type;
  const u32 count = (u32)((inner + (K - 1)) / K);
  if constexpr (!chain::runs_on) {
#pragma unroll 1
    for (usize number = blockIdx.x; number < end; number += gridDim.x) {
      sum_type sum = sum_type::zeros();
      gr_tile_add_dots(sum, 0ull, (usize)count, [&](const usize k) { return pair(number, k); });
      finish(number, sum);
    }
  } else {
    constexpr u32 stages = steps::stages, ahead = stages - 2;
    typedef typename steps::left::part part_a;
    typedef typename steps::right::part part_b;
    typedef gr_tile_walk<T, part_a::row_count, part_a::column_count, N> walk_a;
    typedef gr_tile_walk<T, part_b::row_count, part_b::column_count, N> walk_b;
    const auto first_a = [&](usize number) {
      walk_a walk(pair(number, 0).a);
      walk.go_right();
      return walk;
    };
    const auto first_b = [&](usize number) {
      const auto first = pair(number, 0).b;
      walk_b walk(gr_tile_stored<decltype(pair(number, 0).b)>::of(first));
      if constexpr (IS_B_TRANSPOSED) walk.go_right();
      else walk.go_down();
      return walk;
    };
    usize loading = blockIdx.x;
    if (loading >= end) return;
    walk_a a = first_a(loading);
    walk_b b = first_b(loading);
    const u32 last = (u32)(inner - (usize)(count - 1) * K);
    const gr_tile_place memory = gr_tile_place_of(gr_tile_memory());
    u32 step = 0, filled = 0, used = 0;
    const auto load = [&] {
      if (loading < end) {
        if (step == count - 1) {
          // The last step of a tile may be shorter.
          a.columns = last;
          if constexpr (IS_B_TRANSPOSED) b.columns = last;
          else b.rows = last;
        }
        a.template copy<true>(memory + filled, true);
        b.template copy<true>(memory + filled + part_a::bytes, true);
        filled = filled == (stages - 1) * steps::bytes ? 0 : filled + steps::bytes;
        if (++step == count) {
          step = 0;
          loading += gridDim.x;
          if (loading < end) {
            a = first_a(loading);
            b = first_b(loading);
          }
        }
      }
      gr_tile_commit();
    };
    __syncthreads();
#pragma unroll 1
    for (u32 at = 0; at < ahead; at++) load();
#pragma unroll 1
    for (usize number = blockIdx.x; number < end; number += gridDim.x) {
      sum_type sum = sum_type::zeros();
      const auto multiply = [&] {
        gr_tile_wait<ahead - 1>();
        const steps operands = {gr_tile_memory() + used};
        gr_tile_begin_products<T>(sum, operands);
        used = used == (stages - 1) * steps::bytes ? 0 : used + steps::bytes;
      };
      // The first step is apart, so that the compiler sees no other use of the sum while products run.
      multiply();
      load();
#pragma unroll 1
      for (u32 next = 1; next < count; next++) {
        multiply();
        load();
        gr_tile_end_products<T, 1>(sum);
      }
      gr_tile_end_products<T, 0>(sum);
      finish(number, sum);
    }
  }
}

// As many numbers as a piece of a row has.
template <class T, u32 COUNT> struct alignas(16) gr_tile_values {
  static_assert(COUNT * sizeof(T) % 16 == 0, "pieces of 16 bytes");
  static constexpr u32 words = COUNT * (u32)sizeof(T) / 16;
  T values[COUNT];
};
// Stores what a function makes of each element of a tile, which lies in shared memory meanwhile: of a piece of a row at a time where all of the tile is inside
// of the view, so that the function reads what is beside them in pieces too. That is read first, as the compiler may not move it across barriers.
template <class Loop, class To, class S, u32 R, u32 C, u32 N, class F>
static __device__ __forceinline__ void gr_tile_store_each(const gr_tile_of_view<To, R, C, N>& place, const gr_tile<S, R, C, N>& tile, const F& function) {
  typedef typename Loop::part part;
  To* const first = const_cast<To*>(place.first);
  if constexpr (part::per_piece * sizeof(To) % 16 == 0) {
    if (place.rows >= R && place.columns >= C && place.has_pieces()) {
      constexpr u32 per_piece = part::per_piece, each = R * part::pieces / N;
      typedef gr_tile_values<To, per_piece> results;
      const part staged = Loop::staged();
      const u32 row = threadIdx.x / part::pieces, piece = threadIdx.x % part::pieces, down = N / part::pieces;
#pragma unroll
      for (u32 column = 0; column < C; column += part::column_count) {
        typename F::beside beside[each];
#pragma unroll
        for (u32 at = 0; at < each; at++) function.load(row + at * down, column + piece * per_piece, beside[at]);
        __syncthreads();
        gr_tile_fill<false>(staged, tile, 0, column);
        __syncthreads();
#pragma unroll
        for (u32 at = 0; at < each; at++) {
          results values;
          function.of_piece(beside[at], staged.piece(row + at * down, piece), values.values);
          gr_tile_piece* const to = (gr_tile_piece*)(first + ((isize)(row + at * down) * place.row_stride + (column + piece * per_piece)));
#pragma unroll
          for (u32 word = 0; word < results::words; word++) to[word] = ((const gr_tile_piece*)values.values)[word];
        }
      }
      return;
    }
  }
  const part staged = Loop::staged();
#pragma unroll
  for (u32 column = 0; column < C; column += part::column_count) {
    __syncthreads();
    gr_tile_fill<false>(staged, tile, 0, column);
    __syncthreads();
    // Four at a time: the function may be long, and the code for all elements of a thread takes longer to compile than the rest of the kernel.
#pragma unroll 4
    for (u32 at = threadIdx.x; at < R * part::column_count; at += N) {
      const u32 r = at / part::column_count, in_part = at % part::column_count, c = column + in_part;
      if (r < place.rows && c < place.columns) first[(isize)r * place.row_stride + (isize)c * place.column_stride] = function.of_element(r, c, staged.at(r, in_part));
    }
  }
}
