(const gr_inputs in, const gr_scan scan) {
  const u32 TILE = GR_LANES * GR_RUN;
  __shared__ gr_item tiles[256 / GR_LANES][TILE + TILE / 32];
  __shared__ gr_prefix totals[256 / 32];
  const u32 lane = threadIdx.x % GR_LANES;
  const u64 unit = (u64)blockIdx.x * (256 / GR_LANES) + threadIdx.x / GR_LANES;
  if (unit >= scan.units) return;
  gr_item* tile = tiles[threadIdx.x / GR_LANES];
  const u64 row = unit / scan.chunks, chunk = unit % scan.chunks;
  gr_run run;
  gr_prefix carry;
  carry.any = false;
  if (GR_STORES) {
    for (u64 base = 0; base < chunk; base += TILE) {
      const u32 count = chunk - base < TILE ? (u32)(chunk - base) : TILE;
      for (u32 j = lane; j < count; j += GR_LANES) tile[gr_place(j)] = gr_sum(scan, row * scan.chunks + base + j);
      gr_barrier();
      gr_read_run(run, tile, lane, count);
      gr_scan_lanes(run.sum, carry, totals);
    }
  }
  const u64 first = chunk * scan.chunk_len;
  const u64 last = first + scan.chunk_len < scan.len ? first + scan.chunk_len : scan.len;
  for (u64 base = first; base < last; base += TILE) {
    const u64 start = row * scan.len + base;
    const u32 count = last - base < TILE ? (u32)(last - base) : TILE;
    gr_fill_tile(in, tile, start, lane, count);
    gr_barrier();
    gr_read_run(run, tile, lane, count);
    // The barrier inside comes after all have read their runs: the tile may be written again.
    gr_prefix prefix = gr_scan_lanes(run.sum, carry, totals);
    if (GR_STORES) {
#pragma unroll
      for (u32 k = 0; k < GR_RUN; ++k) {
        if (k < run.len) {
          const gr_item before = GR_EXCLUSIVE && !prefix.any ? gr_identity(scan) : prefix.item;
          gr_append(prefix, run.items[k]);
          tile[gr_place(lane * GR_RUN + k)] = GR_EXCLUSIVE ? before : prefix.item;
        }
      }
      gr_barrier();
      // The next tile puts in each of these places what the same thread loads.
      for (u32 j = lane; j < count; j += GR_LANES) gr_put(scan, start + j, gr_read(tile[gr_place(j)]));
    }
  }
  if (!GR_STORES && lane == 0) gr_put_sum(scan, unit, carry.item);
}
