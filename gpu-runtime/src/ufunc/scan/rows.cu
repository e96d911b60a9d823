// Between threads that work on the same row.
static __device__ __forceinline__ void gr_barrier() {
  if (GR_LANES == 32) __syncwarp(); else __syncthreads();
}

// Where an element of a tile lies: every 33rd place stays empty, so that neither order of access meets in one bank.
static __device__ __forceinline__ u32 gr_place(const u32 i) { return i + i / 32; }

// What a thread owns of a tile in shared memory: consecutive elements.
struct gr_run {
  gr_item items[GR_RUN];
  u32 len;
  gr_prefix sum;
};

static __device__ __forceinline__ gr_prefix gr_read(const gr_prefix& place) { return {gr_read(place.item), *(const u8*)&place.any != 0}; }

// Writes `count` elements from `start` to the tile. All loads of a full tile are under way before the first is used.
static __device__ __forceinline__ void gr_fill_tile(const gr_inputs& in, gr_item* tile, const u64 start, const u32 lane, const u32 count) {
  if (count == GR_LANES * GR_RUN) {
    gr_item items[GR_RUN];
#pragma unroll
    for (u32 k = 0; k < GR_RUN; ++k) items[k] = gr_element(in, start + k * GR_LANES + lane);
#pragma unroll
    for (u32 k = 0; k < GR_RUN; ++k) tile[gr_place(k * GR_LANES + lane)] = items[k];
  } else {
    for (u32 j = lane; j < count; j += GR_LANES) tile[gr_place(j)] = gr_element(in, start + j);
  }
}

static __device__ __forceinline__ void gr_read_run(gr_run& run, const gr_item* tile, const u32 lane, const u32 count) {
  const u32 first = lane * GR_RUN;
  run.len = count == GR_LANES * GR_RUN ? GR_RUN : first >= count ? 0 : count - first < GR_RUN ? count - first : GR_RUN;
  run.sum.any = false;
#pragma unroll
  for (u32 k = 0; k < GR_RUN; ++k) {
    if (k < run.len) {
      run.items[k] = gr_read(tile[gr_place(first + k)]);
      gr_append(run.sum, run.items[k]);
    }
  }
}

// What lies before this thread's run, given what lies before the tile; the latter then includes the tile.
static __device__ __forceinline__ gr_prefix gr_scan_lanes(const gr_prefix& sum, gr_prefix& carry, gr_prefix* totals) {
  const u32 lane = threadIdx.x % 32;
  gr_prefix upto = sum;
#pragma unroll
  for (u32 distance = 1; distance < 32; distance *= 2) {
    gr_prefix other;
    other.item = gr_shift_up(upto.item, distance);
    other.any = __shfl_up_sync(~0u, (i32)upto.any, distance) != 0;
    if (lane >= distance && other.any) {
      gr_append(other, upto);
      upto = other;
    }
  }
  gr_prefix left;
  left.item = gr_shift_up(upto.item, 1);
  left.any = __shfl_up_sync(~0u, (i32)upto.any, 1) != 0 && lane > 0;
  const u32 warp = threadIdx.x / 32;
  if (lane == 31) totals[warp] = upto;
  gr_barrier();
  gr_prefix before = carry;
  if (GR_LANES == 32) {
    gr_append(before, left);
    gr_append(carry, gr_read(totals[warp]));
  } else {
#pragma unroll
    for (u32 w = 0; w < GR_LANES / 32; ++w) {
      if (w == warp) {
        before = carry;
        gr_append(before, left);
      }
      gr_append(carry, gr_read(totals[w]));
    }
  }
  return before;
}

