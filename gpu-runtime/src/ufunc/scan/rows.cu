// Between threads that work on the same row.
static __device__ __forceinline__ void gr_barrier() {
  if (GR_LANES == 32) __syncwarp(); else __syncthreads();
}

// A thread owns a run of a tile in shared memory: GR_RUN consecutive elements, of which the last tile has fewer. Their number is odd, so the
// threads of a warp meet in no bank. The threads that own any are the first.
static __device__ __forceinline__ u32 gr_run_len(const u32 lane, const u32 count) {
  const u32 first = lane * GR_RUN;
  return count == GR_LANES * GR_RUN ? GR_RUN : first >= count ? 0 : count - first < GR_RUN ? count - first : GR_RUN;
}

static __device__ __forceinline__ u32 gr_owners(const u32 count) { return (count + GR_RUN - 1) / GR_RUN; }

// Writes `count` elements from `start` to the tile. All loads of a full tile are under way before the first is used.
static __device__ __forceinline__ void gr_fill_tile(const gr_inputs& in, gr_item* tile, const u64 start, const u32 lane, const u32 count) {
  if (count == GR_LANES * GR_RUN) {
    gr_item items[GR_RUN];
#pragma unroll
    for (u32 k = 0; k < GR_RUN; ++k) items[k] = gr_element(in, start + k * GR_LANES + lane);
#pragma unroll
    for (u32 k = 0; k < GR_RUN; ++k) tile[k * GR_LANES + lane] = items[k];
  } else {
    for (u32 j = lane; j < count; j += GR_LANES) tile[j] = gr_element(in, start + j);
  }
}

// What the runs give before this thread's in its warp; and for each warp, in `totals`, what its runs give.
static __device__ __forceinline__ gr_prefix gr_scan_warp(const gr_item* run, const u32 len, const u32 owners, gr_item* totals) {
  const u32 lane = threadIdx.x % 32, own = threadIdx.x % GR_LANES;
  gr_item upto;
#pragma unroll
  for (u32 k = 0; k < GR_RUN; ++k) {
    if (k < len) upto = k == 0 ? gr_read(run[0]) : gr_combine(upto, gr_read(run[k]));
  }
#pragma unroll
  for (u32 distance = 1; distance < 32; distance *= 2) {
    const gr_item before = gr_shuffle_up(upto, distance);
    if (lane >= distance && own < owners) upto = gr_combine(before, upto);
  }
  if (own < owners && (lane == 31 || own + 1 == owners)) totals[own / 32] = upto;
  return {gr_shuffle_up(upto, 1), lane > 0};
}

// What all runs of a tile give.
static __device__ __forceinline__ gr_item gr_total(const gr_item* totals, const u32 owners) {
  gr_item total = gr_read(totals[0]);
#pragma unroll
  for (u32 warp = 1; warp < GR_LANES / 32; ++warp) {
    if (warp * 32 < owners) total = gr_combine(total, gr_read(totals[warp]));
  }
  return total;
}

// What the runs before this thread's give in the tile, if `left` is what they give in its warp. Only for a thread that owns elements: nothing
// was put where the totals of warps without any would be.
static __device__ __forceinline__ gr_prefix gr_after_warps(const gr_prefix& left, const gr_item* totals) {
  if (GR_LANES == 32) return left;
  gr_prefix before = {gr_read(totals[0]), threadIdx.x >= 32};
#pragma unroll
  for (u32 warp = 1; warp + 1 < GR_LANES / 32; ++warp) {
    if (warp < threadIdx.x / 32) before.item = gr_combine(before.item, gr_read(totals[warp]));
  }
  gr_append(before, left);
  return before;
}

// Replaces a run by its scan, given what lies before it. The elements are read again: registers are for loads that are under way.
static __device__ __forceinline__ void gr_scan_run(const gr_scan& scan, gr_item* run, const u32 len, gr_prefix prefix) {
#pragma unroll
  for (u32 k = 0; k < GR_RUN; ++k) {
    if (k < len) {
      const gr_item before = GR_EXCLUSIVE && !prefix.any ? gr_identity(scan) : prefix.item;
      gr_append(prefix, gr_read(run[k]));
      run[k] = GR_EXCLUSIVE ? before : prefix.item;
    }
  }
}

