// Parts of tiles in shared memory: copies of views to it, and stores through it.

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
static __device__ __forceinline__ void gr_tile_copy(gr_tile_place to, const void* from, u32 bytes) {
#if !defined(__CUDACC_RTC__)
  __builtin_memset(to, 0, 16);
  __builtin_memcpy(to, from, bytes);
#elif __CUDA_ARCH__ >= 800
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(to), "l"(from), "r"(bytes) : "memory");
#else
  if (bytes == 16) *(gr_tile_piece*)to = *(const gr_tile_piece*)from;
  else for (u32 at = 0; at < 16; at++) ((u8*)to)[at] = at < bytes ? ((const u8*)from)[at] : 0;
#endif
}
// Writes 16 bytes.
static __device__ __forceinline__ void gr_tile_put(gr_tile_place to, u32 a, u32 b, u32 c, u32 d) {
#if defined(__CUDACC_RTC__) && __CUDA_ARCH__ >= 800
  asm volatile("st.shared.v4.b32 [%0], {%1, %2, %3, %4};" ::"r"(to), "r"(a), "r"(b), "r"(c), "r"(d) : "memory");
#else
  ((u32*)to)[0] = a, ((u32*)to)[1] = b, ((u32*)to)[2] = c, ((u32*)to)[3] = d;
#endif
}
// Ends a group of copies.
static __device__ __forceinline__ void gr_tile_commit() {
#if defined(__CUDACC_RTC__) && __CUDA_ARCH__ >= 800
  asm volatile("cp.async.commit_group;" ::: "memory");
#endif
}
// What a thread has written to shared memory is there for all threads, and for tensor cores.
static __device__ __forceinline__ void gr_tile_share() {
#ifdef __CUDA_ARCH_FEAT_SM90_ALL
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
#endif
  __syncthreads();
}
// Waits for all groups of copies of all threads but the last LEFT of each, and for all other writes to shared memory.
template <u32 LEFT> static __device__ __forceinline__ void gr_tile_wait() {
#if defined(__CUDACC_RTC__) && __CUDA_ARCH__ >= 800
  asm volatile("cp.async.wait_group %0;" ::"n"(LEFT) : "memory");
#endif
  gr_tile_share();
}

// ROWS rows of COLUMNS elements in shared memory, in pieces of 16 bytes. Eight pieces of each row lie one after another, and then those of the
// next row. They change places with the row, so that eight rows of one column of pieces lie in different banks: the swizzles of wgmma.
template <class T, u32 ROWS, u32 COLUMNS> struct gr_tile_part {
  static constexpr u32 row_count = ROWS, column_count = COLUMNS, per_piece = 16 / sizeof(T), pieces = COLUMNS / per_piece, width = pieces < 8 ? pieces : 8;
  static constexpr u32 bytes = ROWS * COLUMNS * (u32)sizeof(T);
  u8* memory;
  static __device__ __forceinline__ u32 place(u32 row, u32 piece) {
    return ((piece / width * ROWS + row) * width + (piece % width ^ row / (8 / width) % width)) * 16;
  }
  // The same of a row and a piece that are so much larger than those of the thread, which are at `first`. Eight rows further, pieces are in the same order.
  static __device__ __forceinline__ u32 place(u32 row, u32 piece, u32 rows, u32 pieces, u32 first) {
    if (rows % 8 != 0) return place(row + rows, piece + pieces);
    return first + (pieces / width * ROWS + rows) * width * 16;
  }
  static __device__ __forceinline__ u32 place(u32 row, u32 piece, u32 rows, u32 pieces) { return place(row, piece, rows, pieces, place(row, piece)); }
  __device__ __forceinline__ T* piece(u32 row, u32 piece) const { return (T*)(memory + place(row, piece)); }
  __device__ __forceinline__ T& at(u32 row, u32 column) const { return piece(row, column / per_piece)[column % per_piece]; }
};

// Copies tiles of a view that follow each other, `advance` elements apart, whole but for rows and columns outside of the view; turned, with their
// rows as columns.
template <class T, u32 ROWS, u32 COLUMNS, u32 N, bool IS_TURNED = false> struct gr_tile_walk {
  typedef gr_tile_part<T, ROWS, COLUMNS> part;
  template <class Tile> static __device__ __forceinline__ bool can_copy(const Tile& tile) { return tile.has_pieces(); }
  // A thread has each `down`th row, and of a row each `across`th piece.
  static constexpr u32 across = N < part::pieces ? N : part::pieces, down = N / across < ROWS ? N / across : ROWS;
  const T* next;
  isize row_stride, advance;
  u32 rows, columns;
  // Begins at a tile, which stays where it is.
  template <u32 R, u32 C> __device__ __forceinline__ gr_tile_walk(const gr_tile_of_view<T, R, C, N>& tile)
      : next(tile.first + first_of_thread(tile.row_stride)),
        row_stride(tile.row_stride),
        advance(0),
        rows(tile.rows < ROWS ? (u32)tile.rows : ROWS),
        columns(tile.columns < COLUMNS ? (u32)tile.columns : COLUMNS) {}
  // Where the first piece of the thread is, in a tile and in a part.
  static __device__ __forceinline__ isize first_of_thread(isize row_stride) { return (isize)(threadIdx.x / across) * row_stride + threadIdx.x % across * part::per_piece; }
  static __device__ __forceinline__ u32 place_of_thread() { return part::place(threadIdx.x / across, threadIdx.x % across); }
  __device__ __forceinline__ void begin() {}
  // Goes to the tiles below, which have all rows.
  __device__ __forceinline__ void go_down() {
    advance = (isize)ROWS * row_stride;
    rows = ROWS;
  }
  // Goes to the tiles on the right, which have all columns.
  __device__ __forceinline__ void go_right() {
    advance = COLUMNS;
    columns = COLUMNS;
  }
  // ASKS: whether it asks first if all rows and columns are there, as then a copy takes fewer instructions.
  template <bool ASKS = false> __device__ __forceinline__ void copy(gr_tile_place to, bool) {
    if (ASKS && rows == ROWS && columns == COLUMNS) {
      copy_whole(to);
      next += advance;
      return;
    }
    const u32 row = threadIdx.x / across, piece = threadIdx.x % across, own = place_of_thread();
    if (N / across <= ROWS || row < ROWS) {
#pragma unroll
      for (u32 p = 0; p < part::pieces; p += across) {
        const u32 first = (piece + p) * part::per_piece;
        const u32 bytes = first >= columns ? 0 : columns - first < part::per_piece ? (columns - first) * (u32)sizeof(T) : 16;
#pragma unroll
        for (u32 r = 0; r < ROWS; r += down) {
          gr_tile_copy(to + part::place(row, piece, r, p, own), next + ((isize)r * row_stride + p * part::per_piece), row + r < rows ? bytes : 0);
        }
      }
    }
    next += advance;
  }
  // The same of a tile with all rows and columns.
  __device__ __forceinline__ void copy_whole(gr_tile_place to) const { copy_whole(to, place_of_thread(), next, row_stride); }
  // The same from the thread's first piece on, which goes to `own`.
  static __device__ __forceinline__ void copy_whole(gr_tile_place to, u32 own, const T* from, isize row_stride) {
    const u32 row = threadIdx.x / across, piece = threadIdx.x % across;
    if (N / across > ROWS && row >= ROWS) return;
#pragma unroll
    for (u32 r = 0; r < ROWS; r += down) {
#pragma unroll
      for (u32 p = 0; p < part::pieces; p += across) gr_tile_copy(to + part::place(row, piece, r, p, own), from + p * part::per_piece, 16);
      from += (isize)down * row_stride;
    }
  }
};

static __device__ __forceinline__ u32 gr_tile_bits(i8 a) { return (u8)a; }
// Of four columns of the view, a thread has as many rows as elements are in a piece: it loads them a tile ahead, and writes four pieces. Eight threads
// write to different banks.
template <class T, u32 ROWS, u32 COLUMNS, u32 N> struct gr_tile_walk<T, ROWS, COLUMNS, N, true> {
  typedef gr_tile_part<T, ROWS, COLUMNS> part;
  static constexpr u32 per_piece = part::per_piece, low = part::pieces < 4 ? part::pieces : 4, groups = ROWS / 4;
  static constexpr u32 blocks = part::pieces * groups, each = blocks < N ? 1 : blocks / N;
  template <class Tile> static __device__ __forceinline__ bool can_copy(const Tile& tile) { return tile.has_pieces(); }
  struct alignas(4 * sizeof(T)) neighbours {
    u32 words[sizeof(T)];
  };
  const T* first;
  isize row_stride, advance;
  u32 rows, columns;
  neighbours held[each][per_piece];
  template <u32 R, u32 C> __device__ __forceinline__ gr_tile_walk(const gr_tile_of_view<T, R, C, N>& tile)
      : first(tile.first),
        row_stride(tile.row_stride),
        advance(0),
        rows(tile.rows < COLUMNS ? (u32)tile.rows : COLUMNS),
        columns(tile.columns < ROWS ? (u32)tile.columns : ROWS) {}
  __device__ __forceinline__ void go_down() {
    advance = (isize)COLUMNS * row_stride;
    rows = COLUMNS;
  }
  __device__ __forceinline__ void go_right() {}
  static __device__ __forceinline__ bool has_block() { return blocks >= N || threadIdx.x < blocks; }
  static __device__ __forceinline__ u32 piece(u32 block) { return (threadIdx.x + block * N) / (low * groups) * low + threadIdx.x / 2 % low; }
  static __device__ __forceinline__ u32 column(u32 block) { return ((threadIdx.x + block * N) / (2 * low) % (groups / 2) * 2 + threadIdx.x % 2) * 4; }
  template <bool IS_WHOLE> __device__ __forceinline__ void load(u32 block) {
    const T* from = first + ((isize)(piece(block) * per_piece) * row_stride + column(block));
#pragma unroll
    for (u32 i = 0; i < per_piece; i++) {
      const u32 row = piece(block) * per_piece + i;
      if (IS_WHOLE || (row < rows && column(block) + 4 <= columns)) {
        held[block][i] = *(const neighbours*)from;
      } else {
        held[block][i] = {};
#pragma unroll
        for (u32 j = 0; j < 4; j++) {
          const u32 bits = row < rows && column(block) + j < columns ? gr_tile_bits(from[j]) : 0;
          held[block][i].words[j * sizeof(T) / 4] |= bits << (j * sizeof(T) % 4 * 8);
        }
      }
      from += row_stride;
    }
  }
  // The four words of a piece of the column `j` of four.
  static __device__ __forceinline__ u32 word(const neighbours (&rows)[per_piece], u32 j, u32 word) {
    if constexpr (sizeof(T) == 4) {
      return rows[word].words[j];
    } else {
      u32 bytes = 0;
#pragma unroll
      for (u32 at = 0; at < 4; at++) bytes |= (rows[word * 4 + at].words[0] >> (8 * j) & 0xffu) << (8 * at);
      return bytes;
    }
  }
  // Loads the first tile.
  __device__ __forceinline__ void begin() {
    if (!has_block()) return;
    if (rows == COLUMNS && columns == ROWS) {
#pragma unroll
      for (u32 block = 0; block < each; block++) load<true>(block);
    } else {
#pragma unroll
      for (u32 block = 0; block < each; block++) load<false>(block);
    }
  }
  template <bool = false> __device__ __forceinline__ void copy(gr_tile_place to, bool has_next) {
    if (has_block()) {
#pragma unroll
      for (u32 block = 0; block < each; block++) {
        const neighbours(&rows)[per_piece] = held[block];
#pragma unroll
        for (u32 j = 0; j < 4; j++) gr_tile_put(to + part::place(column(block) + j, piece(block)), word(rows, j, 0), word(rows, j, 1), word(rows, j, 2), word(rows, j, 3));
      }
    }
    first += advance;
    if (has_next) begin();
  }
};

// Fills a part with what a tile has from `row` and `column` on; turned, with its rows as columns. A part may be longer than the tile: that is zero.
template <bool IS_TURNED, class T, u32 ROWS, u32 COLUMNS, u32 R, u32 C, u32 N>
static __device__ __forceinline__ void gr_tile_fill(gr_tile_part<T, ROWS, COLUMNS> part, const gr_tile_of_view<T, R, C, N>& tile, u32 row, u32 column) {
  typedef gr_tile_walk<T, ROWS, COLUMNS, N> walk;
  auto from = tile.after(row, column);
  if constexpr ((IS_TURNED ? COLUMNS : ROWS) > R) from.rows = from.rows < R ? from.rows : R;
  if constexpr ((IS_TURNED ? ROWS : COLUMNS) > C) from.columns = from.columns < C ? from.columns : C;
  if constexpr (IS_TURNED) {
    typedef gr_tile_walk<T, ROWS, COLUMNS, N, true> turned;
    if (turned::can_copy(from)) {
      turned all(from);
      all.begin();
      all.copy(gr_tile_place_of(part.memory), false);
      return;
    }
#pragma unroll 1
    for (u32 at = threadIdx.x; at < ROWS * COLUMNS; at += N) part.at(at % ROWS, at / ROWS) = from.at(at / ROWS, at % ROWS);
    return;
  }
  if (from.has_pieces()) {
    walk all(from);
    all.template copy<true>(gr_tile_place_of(part.memory), false);
    return;
  }
#pragma unroll 1
  for (u32 r = threadIdx.x / walk::across; r < ROWS; r += walk::down) {
#pragma unroll 1
    for (u32 p = threadIdx.x % walk::across; p < part.pieces; p += walk::across) {
#pragma unroll
      for (u32 i = 0; i < part.per_piece; i++) part.piece(r, p)[i] = from.at(r, p * part.per_piece + i);
    }
  }
}
template <bool IS_TURNED, class T, u32 ROWS, u32 COLUMNS, u32 R, u32 C, u32 N>
static __device__ __forceinline__ void gr_tile_fill(gr_tile_part<T, ROWS, COLUMNS> part, const gr_tile<T, R, C, N>& tile, u32 row, u32 column) {
  typedef gr_tile_shape<R, C, N> shape;
  // Along the sum, a part may be twice as long.
  constexpr u32 length = IS_TURNED ? R : C;
  if (!shape::is_first()) return;
  if constexpr (!IS_TURNED && sizeof(T) == 2 && COLUMNS <= length) {
    // Neighbours in a row are written together.
#pragma unroll
    for (u32 i = 0; i < shape::count; i += 2) {
      const u32 r = shape::row(i) - row, c = shape::column(i) - column;
      if (r < ROWS && c < COLUMNS) *(u32*)&part.at(r, c) = (u32)tile.values[i].bits | (u32)tile.values[i + 1].bits << 16;
    }
    return;
  }
#pragma unroll
  for (u32 i = 0; i < shape::count; i++) {
    const u32 tile_row = shape::row(i) - row, tile_column = shape::column(i) - column;
    const u32 r = IS_TURNED ? tile_column : tile_row, c = IS_TURNED ? tile_row : tile_column;
    if (r < ROWS && c < COLUMNS) part.at(r, c) = tile.values[i];
    if constexpr (COLUMNS > length) part.at(r, c + length) = T();
  }
}

// Different tiles of one size have different elements, and each element of a tile is always the same thread's. Elements of less than four bytes go
// through shared memory, so that threads side by side write whole sectors.
template <class T, u32 R, u32 C, u32 N> struct gr_tile_store_use : gr_tile_no_product {
  static constexpr bool is_staged = sizeof(T) < 4 && R * C * (u32)sizeof(T) <= gr_tile_most_memory;
  static constexpr u32 memory = is_staged ? R * C * (u32)sizeof(T) : 0;
};
template <class T, u32 R, u32 C, u32 N> static __device__ __forceinline__ void gr_tile_store(const gr_tile_of_view<T, R, C, N>& place, const gr_tile<T, R, C, N>& tile) {
  typedef gr_tile_shape<R, C, N> shape;
  T* const first = const_cast<T*>(place.first);
  if constexpr (gr_tile_store_use<T, R, C, N>::is_staged) {
    if (place.rows >= R && place.columns >= C && place.has_pieces()) {
      typedef gr_tile_part<T, R, C> part;
      const part staged = {gr_tile_memory()};
      __syncthreads();
      gr_tile_fill<false>(staged, tile, 0, 0);
      __syncthreads();
#pragma unroll
      for (u32 at = 0; at < R * part::pieces; at += N) {
        const u32 r = (threadIdx.x + at) / part::pieces, p = (threadIdx.x + at) % part::pieces;
        if (R * part::pieces % N != 0 && r >= R) break;
        *(gr_tile_piece*)(first + ((isize)r * place.row_stride + p * part::per_piece)) = *(const gr_tile_piece*)staged.piece(r, p);
      }
      return;
    }
  }
  if (!shape::is_first()) return;
  if (place.rows >= R && place.columns >= C && place.has_pairs()) {
    typedef typename gr_tile_of_view<T, R, C, N>::pair pair;
#pragma unroll
    for (u32 at = 0; at < shape::count; at += 2) {
      *(pair*)(first + ((isize)shape::row(at) * place.row_stride + shape::column(at))) = {tile.values[at], tile.values[at + 1]};
    }
    return;
  }
#pragma unroll
  for (u32 at = 0; at < shape::count; at++) {
    const u32 r = shape::row(at), c = shape::column(at);
    if (r < place.rows && c < place.columns) first[(isize)r * place.row_stride + (isize)c * place.column_stride] = tile.values[at];
  }
}
