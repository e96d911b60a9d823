// What the items of the first `count` lanes of a warp give, for the first lane.
static __device__ __forceinline__ gr_item gr_fold_lanes(gr_item item, const u32 count) {
#pragma unroll
  for (u32 distance = 1; distance < 32; distance *= 2) {
    const gr_item next = gr_shuffle_down(item, distance);
    if (threadIdx.x + distance < count) item = gr_combine(item, next);
  }
  return item;
}

// What is published at `first` and behind it, for the first `count` lanes. A lane has looked there before, and its word is 0 if nothing was.
static __device__ __forceinline__ gr_prefix gr_fold_published(const gr_scan& scan, const u64 first, const u32 count, const u64 word) {
  gr_prefix all;
  all.any = count > 0;
  if (threadIdx.x < count) all.item = gr_await(scan, first + threadIdx.x, word);
  if (all.any) all.item = gr_fold_lanes(all.item, count);
  return all;
}

// What lies before a tile, for the first thread; `own` is what the tile gives. The first warp publishes that, and the last tile of each 32
// publishes what they give together, and again for 32 of these groups. So a tile waits for at most 31 tiles, 31 groups, and all that lies
// before in groups of groups: for sums only, and never for what lies before another tile.
static __device__ __forceinline__ gr_prefix gr_look_back(const gr_scan& scan, const u32 row, const u32 chunk, const gr_item& own) {
  const u32 lane = threadIdx.x, group = chunk / 32, above = group / 32, in_group = chunk % 32, in_above = group % 32;
  const u64 tiles = row * scan.words_of_row, groups = tiles + scan.chunks, aboves = groups + (scan.chunks + 31) / 32;
  if (lane == 0) gr_publish(scan, tiles + chunk, own);
  u64 of_tile = 0, of_group = 0, of_above = 0;
  if (lane < in_group) of_tile = gr_word(scan, tiles + chunk - in_group + lane);
  if (lane < in_above) of_group = gr_word(scan, groups + group - in_above + lane);
  if (lane < above) of_above = gr_word(scan, aboves + lane);

  const gr_prefix before_in_group = gr_fold_published(scan, tiles + chunk - in_group, in_group, of_tile);
  gr_prefix upto = before_in_group;
  gr_append(upto, own);
  if (lane == 0 && in_group == 31) gr_publish(scan, groups + group, upto.item);
  gr_prefix before = gr_fold_published(scan, groups + group - in_above, in_above, of_group);
  if (lane == 0 && in_group == 31 && in_above == 31) gr_publish(scan, aboves + above, gr_combine(before.item, upto.item));
  gr_append(before, before_in_group);

  gr_prefix first;
  first.any = false;
  for (u32 k = 0; k < above; k += 32) {
    const u32 count = above - k < 32 ? above - k : 32;
    gr_append(first, gr_fold_published(scan, aboves + k, count, k == 0 ? of_above : 0));
  }
  gr_append(first, before);
  return first;
}

static __device__ __forceinline__ void gr_chain(
    const gr_inputs& in, const gr_scan& scan, const u32 row, const u32 chunk, const u32 count, gr_item* const tile, gr_item* const totals,
    gr_prefix& before_tile) {
  const u32 lane = threadIdx.x, TILE = GR_LANES * GR_RUN, owners = gr_owners(count), len = gr_run_len(lane, count);
  const u64 start = row * scan.len + (u64)chunk * TILE;
  gr_item* const run = tile + lane * GR_RUN;
  gr_fill_tile(in, tile, start, lane, count);
  __syncthreads();
  const gr_prefix left = gr_scan_warp(run, len, owners, totals);
  __syncthreads();
  if (lane < 32) {
    const gr_prefix before = gr_look_back(scan, row, chunk, gr_total(totals, owners));
    if (lane == 0) before_tile = before;
  }
  gr_prefix in_tile = left;
  if (len > 0) in_tile = gr_after_warps(left, totals);
  __syncthreads();
  if (len > 0) {
    gr_prefix prefix = before_tile;
    gr_append(prefix, in_tile);
    gr_scan_run(scan, run, len, prefix);
  }
  __syncthreads();
  if (count == TILE) {
#pragma unroll
    for (u32 k = 0; k < GR_RUN; ++k) gr_put(scan, start + k * GR_LANES + lane, gr_read(tile[k * GR_LANES + lane]));
  } else {
    for (u32 j = lane; j < count; j += GR_LANES) gr_put(scan, start + j, gr_read(tile[j]));
  }
}

