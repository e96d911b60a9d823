// A warp combines the values of `each` consecutive pairs, in their order, in a table in shared memory that has a place for each key of a bucket:
// of the keys that differ in their GR_BITS low bits only. Where the next bucket begins, it stores what the table has, and clears it. The first
// bucket may have begun before, and the last one may go on: their tables are left for the next launch. A bucket whose pairs the lanes have at
// the same time, with others on both sides, needs no table.
//
// A thread that fails has exited. Votes and shuffles do not wait for it, and the others share its work.

enum : u32 { GR_ALL = 0xffffffffu };

struct gr_table {
  gr_value* values;
  // Whether there is a value.
  u8* there;
};

// The lanes that have not exited: how many, and how many before this one.
struct gr_lanes {
  u32 count, before;
};

static __device__ __forceinline__ gr_lanes gr_lanes_left() {
  const u32 lanes = ::__ballot_sync(GR_ALL, 1);
  return {(u32)::__popc(lanes), (u32)::__popc(lanes & ((1u << threadIdx.x) - 1))};
}

static __device__ __forceinline__ void gr_clear(const gr_table& table) {
  ::__syncwarp();
  const gr_lanes lanes = gr_lanes_left();
  for (u32 place = lanes.before; place < GR_TABLE; place += lanes.count) table.there[place] = 0;
  ::__syncwarp();
}

// The value of another lane.
static __device__ __forceinline__ gr_value gr_value_in(const gr_value& value, const u32 lane) {
  u32 words[(sizeof(gr_value) + 3) / 4] = {};
  memcpy(words, &value, sizeof(gr_value));
#pragma unroll 32
  for (u32 k = 0; k < (sizeof(gr_value) + 3) / 4; ++k) words[k] = ::__shfl_sync(GR_ALL, words[k], lane);
  gr_value other;
  memcpy(&other, words, sizeof(gr_value));
  return other;
}

// The lanes whose pairs are in the same bucket, of those that have pairs: neighbours, as the pairs are sorted.
static __device__ __forceinline__ u32 gr_lanes_of_bucket(const gr_key key, const u32 having) {
  if (GR_LEFT == 1) return having;
  const u32 lane = threadIdx.x, before = having & ((1u << lane) - 1);
  const gr_key previous = gr_bucket_in(key, before != 0 ? 31 - ::__clz(before) : lane);
  const bool begins = (having >> lane & 1) != 0 && (before == 0 || previous != gr_bucket_of(key));
  const u32 heads = ::__ballot_sync(GR_ALL, begins);
  const u32 upto = heads & (0xffffffffu >> (31 - lane)), behind = heads & ~(0xffffffffu >> (31 - lane));
  const u32 from_first = upto != 0 ? ~0u << (31 - ::__clz(upto)) : ~0u;
  return having & from_first & (behind != 0 ? (1u << (::__ffs(behind) - 1)) - 1 : ~0u);
}

// Combines the values of each key in its first lane, of the lanes with `has`, whose bucket these lanes have. Returns whether this is the lane.
static __device__ __forceinline__ bool gr_combine_lanes(const bool has, const u32 lanes_of_bucket, const u32 place, gr_value& value) {
  u32 same = lanes_of_bucket;
#pragma unroll
  for (u32 bit = 0; bit < GR_BITS; ++bit) {
    const u32 is_set = place >> bit & 1;
    same &= ::__ballot_sync(GR_ALL, is_set) ^ (is_set - 1);
  }
  const u32 earlier = same & ((1u << threadIdx.x) - 1);
  // In pairs of neighbours, until the first lane has all.
  u32 rank = ::__popc(earlier), later = has ? same & ~earlier & ~(1u << threadIdx.x) : 0;
  bool given = !has;
  while (::__any_sync(GR_ALL, later != 0)) {
    const u32 next = later != 0 ? ::__ffs(later) - 1 : threadIdx.x;
    const gr_value other = gr_value_in(value, next);
    const u32 giving = ::__ballot_sync(GR_ALL, !given && (rank & 1) != 0);
    const u32 staying = ::__ballot_sync(GR_ALL, !given && (rank & 1) == 0);
    if (giving >> threadIdx.x & 1) given = true, later = 0;
    if (!given && (giving & later) >> next & 1) value = gr_apply(value, other);
    later &= staying;
    rank /= 2;
  }
  return has && earlier == 0;
}

// Adds the values of the lanes with `has`, of different keys, to the table.
static __device__ __forceinline__ void gr_add(const gr_table& table, const bool has, const u32 place, const gr_value& value) {
  if (has) {
    table.values[place] = table.there[place] ? gr_apply(table.values[place], value) : value;
    table.there[place] = 1;
  }
  ::__syncwarp();
}

// Stores what the table has of a whole bucket, or leaves it as a table of the next launch, and clears it.
static __device__ __forceinline__ void gr_finish(const gr_table& table, const gr_key bucket, const bool whole, const u64 left, const gr_targets& to, const gr_partials& partials) {
  const gr_lanes lanes = gr_lanes_left();
  for (u32 place = lanes.before; place < GR_TABLE; place += lanes.count) {
    if (!table.there[place]) continue;
    if (whole) gr_put(to, (gr_key)(bucket << GR_BITS | place), table.values[place]);
    else gr_leave(partials, left, place, table.values[place]);
  }
  gr_clear(table);
}

static __device__ __forceinline__ void gr_reduce(const gr_source& from, const u64 count, const u64 each, const gr_targets& to, const gr_partials& partials) {
  __shared__ __align__(16) u8 memory[GR_TABLE * (sizeof(gr_value) + 1)];
  const gr_table table = {(gr_value*)memory, memory + GR_TABLE * sizeof(gr_value)};
  const u32 lane = threadIdx.x;
  const u64 warp = blockIdx.x, first = warp * each, end = count - first < each ? count : first + each;
  gr_key bucket = gr_bucket(from, first);
  if (partials.keys != 0) {
    for (u32 place = lane; place < GR_TABLE; place += 32) {
      gr_leave_none(partials, GR_LEFT * warp, place, bucket);
      if (GR_LEFT == 2) gr_leave_none(partials, 2 * warp + 1, place, gr_bucket(from, end - 1));
    }
  }
  gr_clear(table);
  // Whether the bucket at hand began here.
  bool begins = first == 0 || gr_bucket(from, first - 1) != bucket;
  for (u64 some = first + lane; some - lane < end; some += 32 * GR_AT_A_TIME) {
    gr_key keys[GR_AT_A_TIME];
    u64 places[GR_AT_A_TIME];
    gr_values x[GR_AT_A_TIME];
#pragma unroll
    for (u32 k = 0; k < GR_AT_A_TIME; ++k) {
      const u64 i = some + 32 * k;
      if (i < end) keys[k] = gr_sorted_key(from, i), places[k] = gr_place(from, i);
    }
#pragma unroll
    for (u32 k = 0; k < GR_AT_A_TIME; ++k) {
      if (some + 32 * k < end) x[k] = gr_load(from.in, places[k]);
    }
#pragma unroll
    for (u32 k = 0; k < GR_AT_A_TIME; ++k) {
      const bool has = some + 32 * k < end;
      gr_key key = 0;
      gr_value value;
      if (has) {
        const gr_item item = gr_compute(from.in, x[k]);
        key = gr_key_of(keys[k], item, to.len);
        value = gr_value_of(item, key, to.len);
      }
      const u32 having = ::__ballot_sync(GR_ALL, has);
      if (having == 0) continue;
      const gr_key own = gr_bucket_of(key), next = gr_bucket_in(key, ::__ffs(having) - 1), last = gr_bucket_in(key, 31 - ::__clz(having));
      const u32 place = (u32)key & (GR_TABLE - 1);
      const bool adds = gr_combine_lanes(has, gr_lanes_of_bucket(key, having), place, value);
      if (next != bucket) {
        gr_finish(table, bucket, begins, GR_LEFT * warp, to, partials);
        bucket = next, begins = true;
      }
      gr_add(table, adds && own == bucket, place, value);
      if (last != bucket) {
        gr_finish(table, bucket, begins, GR_LEFT * warp, to, partials);
        // What is between them needs no table.
        if (adds && own != bucket && own != last) gr_put(to, key, value);
        bucket = last, begins = true;
        gr_add(table, adds && own == bucket, place, value);
      }
    }
  }
  const bool ends = end == count || gr_bucket(from, end) != bucket;
  gr_finish(table, bucket, begins && ends, GR_LEFT * warp + (GR_LEFT == 2 && begins ? 1 : 0), to, partials);
}

