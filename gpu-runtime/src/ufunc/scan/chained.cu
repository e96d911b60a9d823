// What the first chunks of a group give, for the first lane of a warp. Each lane waits for consecutive ones.
static __device__ __forceinline__ gr_prefix gr_look_back(const gr_scan& scan, const u64 first, const u32 count) {
  const u32 each = GR_GROUP / 32, lane = threadIdx.x;
  gr_prefix all;
  all.any = false;
  for (u32 k = lane * each; k < count && k < (lane + 1) * each; ++k) gr_append(all, gr_await(scan, first + k));
#pragma unroll
  for (u32 distance = 1; distance < 32; distance *= 2) {
    gr_prefix next;
    next.item = gr_shift_down(all.item, distance);
    next.any = lane + distance < 32 && (lane + distance) * each < count;
    gr_append(all, next);
  }
  return all;
}

static __device__ __forceinline__ void gr_chain(
    const gr_inputs& in, const gr_scan& scan, const u64 row, const u64 chunk, const u32 count, gr_item* const tile, gr_prefix* const totals) {
  const u32 lane = threadIdx.x, TILE = GR_LANES * GR_RUN;
  const u64 unit = row * scan.chunks + chunk, start = row * scan.len + chunk * TILE;
  gr_run run;
  gr_fill_tile(in, tile, start, lane, count);
  __syncthreads();
  gr_read_run(run, tile, lane, count);
  gr_prefix own;
  own.any = false;
  const gr_prefix in_tile = gr_scan_lanes(run.sum, own, totals);

  // The first warp publishes what the tile gives, and waits for what is before it: for the chunks of the same group, and for all groups
  // before, which the last chunk of each adds up.
  if (lane < 32) {
    const u64 groups = (scan.chunks + GR_GROUP - 1) / GR_GROUP, group = chunk / GR_GROUP, of_group = scan.units + row * groups + group;
    const u32 position = (u32)(chunk % GR_GROUP);
    if (lane == 0) gr_publish(scan, unit, own.item);
    const gr_prefix in_group = gr_look_back(scan, unit - position, position);
    if (lane == 0) {
      gr_prefix before;
      before.any = group > 0;
      if (before.any) before.item = gr_await(scan, of_group - 1);
      gr_append(before, in_group);
      totals[GR_LANES / 32] = before;
      gr_append(before, own);
      if (position == GR_GROUP - 1) gr_publish(scan, of_group, before.item);
    }
  }
  __syncthreads();
  gr_prefix prefix = gr_read(totals[GR_LANES / 32]);
  gr_append(prefix, in_tile);
#pragma unroll
  for (u32 k = 0; k < GR_RUN; ++k) {
    if (k < run.len) {
      const gr_item before = GR_EXCLUSIVE && !prefix.any ? gr_identity(scan) : prefix.item;
      gr_append(prefix, run.items[k]);
      tile[gr_place(lane * GR_RUN + k)] = GR_EXCLUSIVE ? before : prefix.item;
    }
  }
  __syncthreads();
  if (count == TILE) {
#pragma unroll
    for (u32 k = 0; k < GR_RUN; ++k) gr_put(scan, start + k * GR_LANES + lane, gr_read(tile[gr_place(k * GR_LANES + lane)]));
  } else {
    for (u32 j = lane; j < count; j += GR_LANES) gr_put(scan, start + j, gr_read(tile[gr_place(j)]));
  }
}

