// Kernels that add the products of a row of tiles and of a column, store the sum, and do nothing else. On Hopper, a block does this for several blocks of the
// grid: the first steps of the next tile arrive while this one is multiplied, and are multiplied while this one is stored.

// The grid that the program asked for, or one of its blocks.
struct gr_tile_grid {
  u32 x, y, z;
  __device__ __forceinline__ usize count() const { return (usize)x * y * z; }
  template <class I> __device__ __forceinline__ gr_tile_grid at(I number) const { return {(u32)(number % x), (u32)(number / x % y), (u32)(number / x / y)}; }
};
// What a block of that grid does: the operands of a step, and where the sum of all steps is stored.
template <class A, class B, class C> struct gr_tile_task {
  A a;
  B b;
  C c;
};
template <class A, class B, class C> static __device__ __forceinline__ gr_tile_task<A, B, C> gr_tile_task_of(const A& a, const B& b, const C& c) { return {a, b, c}; }

// A tile in shared memory until it is stored: in parts of 16 rows of 128 bytes, each read by the warp that has written it. FITTING parts of each warp lie at one
// place, and the others at another.
template <class T, u32 R, u32 C, u32 N, u32 FITTING> struct gr_tile_parked {
  typedef gr_tile_shape<R, C, N> shape;
  static constexpr u32 per_piece = 16 / sizeof(T), across = shape::pieces / 8, count = shape::rows::pieces * across, part_bytes = 16 * 128;
  static constexpr bool is_possible = sizeof(T) == 2 && shape::pieces % 8 == 0 && shape::warps * shape::rows::warps == N / 32;
  static constexpr u32 others_bytes = count <= FITTING ? 0 : (count - FITTING) * (N / 32) * part_bytes;
  gr_tile_place fitting, others;
#ifdef __CUDA_ARCH_FEAT_SM90_ALL
  __device__ __forceinline__ gr_tile_place part(u32 number) const {
    const u32 warp = threadIdx.x / 32;
    return number < FITTING ? fitting + (warp * FITTING + number) * part_bytes : others + (warp * (count - FITTING) + number - FITTING) * part_bytes;
  }
  // Pieces of a row change places, so that those of a column lie in different banks.
  static __device__ __forceinline__ u32 piece(u32 row, u32 piece) { return row * 128 + (piece ^ row % 8) * 16; }
  // Four matrices of eight rows and columns at a time, whose rows the lanes name.
  template <class S> __device__ __forceinline__ void fill(const gr_tile<S, R, C, N>& sum) const {
    const u32 lane = threadIdx.x % 32;
    const gr_tile_cast<T> cast;
#pragma unroll
    for (u32 number = 0; number < count; number++) {
#pragma unroll
      for (u32 p = 0; p < 8; p += 2) {
        const S* const x = sum.values + (number * 8 + p) * 4;
        u32 words[4];
#pragma unroll
        for (u32 at = 0; at < 4; at++) words[at] = (u32)cast(x[2 * at]).bits | (u32)cast(x[2 * at + 1]).bits << 16;
        asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1, %2, %3, %4};" ::"r"(part(number) + piece(lane % 16, lane / 16 + p)), "r"(words[0]), "r"(words[1]), "r"(words[2]), "r"(words[3]) : "memory");
      }
    }
    __syncwarp();
  }
  __device__ __forceinline__ void store(const gr_tile_of_view<T, R, C, N>& place) const {
    const u32 lane = threadIdx.x % 32, own_column = threadIdx.x / 32 / shape::rows::warps % shape::warps * (8 * shape::pieces);
    const bool is_whole = place.rows >= R && place.columns >= C && place.has_pieces();
#pragma unroll
    for (u32 number = 0; number < count; number++) {
      const u32 first_row = shape::rows::first(number / across), first_column = own_column + number % across * 64;
      T* const to = const_cast<T*>(place.first) + ((isize)first_row * place.row_stride + (isize)first_column * place.column_stride);
      if (is_whole) {
#pragma unroll
        for (u32 r = 0; r < 16; r += 4) {
          const u32 row = lane / 8 + r;
          u32 x[4];
          asm volatile("ld.shared.v4.b32 {%0, %1, %2, %3}, [%4];" : "=r"(x[0]), "=r"(x[1]), "=r"(x[2]), "=r"(x[3]) : "r"(part(number) + piece(row, lane % 8)) : "memory");
          asm volatile("st.global.v4.b32 [%0], {%1, %2, %3, %4};" ::"l"(to + ((isize)row * place.row_stride + lane % 8 * per_piece)), "r"(x[0]), "r"(x[1]), "r"(x[2]), "r"(x[3]) : "memory");
        }
      } else {
#pragma unroll 1
        for (u32 at = lane; at < 16 * 64; at += 32) {
          const u32 row = at / 64, column = at % 64;
          T x;
          asm volatile("ld.shared.u16 %0, [%1];" : "=h"(x.bits) : "r"(part(number) + piece(row, column / per_piece) + column % per_piece * 2) : "memory");
          if (first_row + row < place.rows && first_column + column < place.columns) to[(isize)row * place.row_stride + (isize)column * place.column_stride] = x;
        }
      }
    }
  }
#endif
};

// How a block computes its tiles.
template <class T, u32 R, u32 K, u32 C, u32 N> struct gr_tile_tasks_use : gr_tile_dots_use<T, R, K, C, N> {
  typedef gr_tile_dots_use<T, R, K, C, N> dots;
  typedef typename dots::steps steps;
  typedef gr_tile<gr_tile_sum<T>, R, C, N> sum;
  // While a tile is parked, no step is at one of the places for them.
  typedef gr_tile_parked<T, R, C, N, steps::bytes / (N / 32 * 16 * 128)> parked;
  static constexpr u32 loaded = dots::memory, parking = loaded + parked::others_bytes, stored = gr_tile_store_use<T, R, C, N>::memory;
  // Whether a block does this for several: it has the memory of a multiprocessor for itself.
  static constexpr bool runs_on = gr_tile_runs_on<T, sum>::value && parked::is_possible && K == 64 && steps::columns == K && steps::fitting == 4 && parking <= gr_tile_most_memory;
  static constexpr u32 memory = runs_on ? parking : loaded > stored ? loaded : stored;
};

#ifdef __CUDA_ARCH_FEAT_SM90_ALL
// Of operands in pieces, fewer than 2³¹ tiles, and at least one step for each but fewer than 2²⁵.
template <bool IS_B_TRANSPOSED, class T, u32 R, u32 K, u32 C, u32 N, class F> static __device__ __forceinline__ void gr_tile_run_on(const gr_tile_grid& grid, u32 count, const F& task) {
  typedef gr_tile_tasks_use<T, R, K, C, N> use;
  typedef gr_tile_steps<T, R, K, C, false, IS_B_TRANSPOSED> steps;
  typedef typename steps::left::part part_a;
  typedef typename steps::right::part part_b;
  typedef gr_tile_walk<T, part_a::row_count, part_a::column_count, N> walk_a;
  typedef gr_tile_walk<T, part_b::row_count, part_b::column_count, N> walk_b;
  const auto first_a = [&](u32 number) {
    walk_a walk(task(grid.at(number), 0).a);
    walk.go_right();
    return walk;
  };
  const auto stored_b = [&](u32 number) {
    const auto b = task(grid.at(number), 0).b;
    return gr_tile_stored<decltype(task(grid, 0).b)>::of(b);
  };
  const auto first_b = [&](u32 number) {
    auto b = stored_b(number);
    // Nothing is read outside of a view, but the address has to be one of pieces.
    b.first = (const T*)((usize)b.first / 16 * 16);
    walk_b walk(b);
    if constexpr (IS_B_TRANSPOSED) walk.go_right();
    else walk.go_down();
    return walk;
  };
  const auto at_most = [](usize size, u32 most) { return size < most ? (u32)size : most; };
  const u32 inner_a = at_most(task(grid.at(0u), 0).a.columns, count * K), inner_b = at_most(IS_B_TRANSPOSED ? stored_b(0).columns : stored_b(0).rows, count * K);
  // Of `inner` elements along the sum, those of a step.
  const auto of_step = [&](u32 inner, u32 step) { return inner < step * K ? 0 : at_most(inner - step * K, K); };
  const auto after = [](u32 slot) { return slot == (steps::stages - 1) * steps::bytes ? 0 : slot + steps::bytes; };
  const gr_tile_place memory = gr_tile_place_of(gr_tile_memory());
  const u32 end = (u32)grid.count();
  u32 loading = blockIdx.x, step = 0, filled = 0, used = 0;
  walk_a a = first_a(loading);
  walk_b b = first_b(loading);
  // As many steps of a tile lie inside of both views.
  const auto count_whole = [&] { return a.rows == R && (IS_B_TRANSPOSED ? b.rows : b.columns) == C ? (inner_a < inner_b ? inner_a : inner_b) / K : 0; };
  u32 whole = count_whole();
  const auto load = [&] {
    if (loading < end) {
      if (step < whole) {
        a.copy_whole(memory + filled);
        b.copy_whole(memory + filled + part_a::bytes);
        a.next += a.advance;
        b.next += b.advance;
      } else {
        a.columns = of_step(inner_a, step);
        (IS_B_TRANSPOSED ? b.columns : b.rows) = of_step(inner_b, step);
        a.copy(memory + filled, true);
        b.copy(memory + filled + part_a::bytes, true);
      }
      filled = after(filled);
      if (++step == count) {
        step = 0;
        loading += gridDim.x;
        if (loading < end) {
          a = first_a(loading);
          b = first_b(loading);
          whole = count_whole();
        }
      }
    }
    gr_tile_commit();
  };
  typename use::sum sum;
  const auto multiply = [&] {
    const steps operands = {gr_tile_memory() + used};
    used = after(used);
    gr_tile_begin_products<T>(sum, operands);
  };
  load();
  load();
  gr_tile_wait<1>();
  typename use::parked parked;
  u32 before = end;
#pragma unroll 1
  for (u32 number = blockIdx.x; number < end; number += gridDim.x) {
    sum = use::sum::zeros();
    multiply();
    if (before < end) {
      parked.store(task(grid.at(before), 0).c);
      __syncthreads();
    }
    load();
#pragma unroll 1
    for (u32 k = 1; k < count; k++) {
      gr_tile_wait<1>();
      multiply();
      load();
      gr_tile_end_products<T, 1>(sum);
    }
    // After this barrier, the first step of the next tile is there, and no warp reads the last step but one of this tile.
    gr_tile_wait<1>();
    gr_tile_end_products<T, 0>(sum);
    parked = {memory + after(after(used)), memory + use::loaded};
    parked.fill(sum);
    before = number;
  }
  parked.store(task(grid.at(before), 0).c);
}
#endif

template <template <class, u32, u32, u32> class B, class T, u32 R, u32 K, u32 C, u32 N, class F>
static __device__ __forceinline__ void gr_tile_run_tasks(const gr_tile_grid& grid, usize count, const F& task, gr_tile_task<gr_tile_of_view<T, R, K, N>, B<T, K, C, N>, gr_tile_of_view<T, R, C, N>>*) {
  typedef gr_tile_tasks_use<T, R, K, C, N> use;
  const auto run = [&](const gr_tile_grid& block) {
    typename use::sum sum = use::sum::zeros();
    gr_tile_add_dots(sum, 0ull, count, [&](const usize k) {
      const auto step = task(block, k);
      return gr_tile_pair_of(step.a, step.b);
    });
    gr_tile_store(task(block, 0).c, gr_tile_map<gr_tile<T, R, C, N>>(gr_tile_cast<T>(), sum));
  };
#ifdef __CUDA_ARCH_FEAT_SM90_ALL
  if constexpr (use::runs_on) {
    // The same for all blocks. What is outside of the view begins where that ends, which says nothing about where the others begin.
    const auto some = task(grid.at(0u), 0);
    const auto& b = gr_tile_stored<B<T, K, C, N>>::of(some.b);
    const usize all = grid.count(), columns = gr_tile_stored<B<T, K, C, N>>::is_transposed ? b.rows : b.columns;
    // Tiles that end outside of the views are copied with more instructions, which in long sums take longer than what is won between two tiles.
    const bool are_fast = (some.a.rows % R == 0 && columns % C == 0) || count <= 8;
    if (some.a.has_pieces() && b.has_pieces() && b.columns != 0 && count != 0 && count < 1u << 25 && all < 1u << 31 && are_fast) {
      gr_tile_run_on<gr_tile_stored<B<T, K, C, N>>::is_transposed, T, R, K, C, N>(grid, (u32)count, task);
    } else {
#pragma unroll 1
      for (usize number = blockIdx.x; number < all; number += gridDim.x) run(grid.at(number));
    }
    return;
  }
#endif
  run({blockIdx.x, blockIdx.y, blockIdx.z});
}
template <class F> static __device__ __forceinline__ void gr_tile_run_tasks(const gr_tile_grid& grid, usize count, const F& task) {
  gr_tile_run_tasks(grid, count, task, (decltype(task(grid, 0))*)nullptr);
}
