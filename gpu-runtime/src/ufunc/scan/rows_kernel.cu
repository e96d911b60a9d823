(const gr_inputs in, const gr_scan scan) {
  const u32 TILE = GR_LANES * GR_RUN;
  __shared__ gr_item tiles[256 / GR_LANES][TILE];
  __shared__ gr_item totals[256 / 32];
  const u32 lane = threadIdx.x % GR_LANES;
  const u64 unit = (u64)blockIdx.x * (256 / GR_LANES) + threadIdx.x / GR_LANES;
  if (unit >= scan.units) return;
  gr_item *tile = tiles[threadIdx.x / GR_LANES], *run = tile + lane * GR_RUN;
  gr_item* of_warps = totals + threadIdx.x / GR_LANES * (GR_LANES / 32);
  const u64 row = unit / scan.chunks, chunk = unit % scan.chunks;
  gr_prefix carry;
  carry.any = false;
  if (GR_STORES) {
    for (u64 base = 0; base < chunk; base += TILE) {
      const u32 count = chunk - base < TILE ? (u32)(chunk - base) : TILE, owners = gr_owners(count);
      for (u32 j = lane; j < count; j += GR_LANES) tile[j] = gr_sum(scan, row * scan.chunks + base + j);
      gr_barrier();
      gr_scan_warp(run, gr_run_len(lane, count), owners, of_warps);
      gr_barrier();
      gr_append(carry, gr_total(of_warps, owners));
    }
  }
  const u64 first = chunk * scan.chunk_len;
  const u64 last = first + scan.chunk_len < scan.len ? first + scan.chunk_len : scan.len;
  for (u64 base = first; base < last; base += TILE) {
    const u64 start = row * scan.len + base;
    const u32 count = last - base < TILE ? (u32)(last - base) : TILE, owners = gr_owners(count), len = gr_run_len(lane, count);
    gr_fill_tile(in, tile, start, lane, count);
    gr_barrier();
    const gr_prefix left = gr_scan_warp(run, len, owners, of_warps);
    // After this barrier, all have read their runs: the tile may be written again.
    gr_barrier();
    gr_prefix prefix = carry;
    gr_append(carry, gr_total(of_warps, owners));
    if (GR_STORES) {
      if (len > 0) {
        gr_append(prefix, gr_after_warps(left, of_warps));
        gr_scan_run(scan, run, len, prefix);
      }
      gr_barrier();
      // The next tile puts in each of these places what the same thread loads.
      for (u32 j = lane; j < count; j += GR_LANES) gr_put(scan, start + j, gr_read(tile[j]));
    }
  }
  if (!GR_STORES && lane == 0) gr_put_sum(scan, unit, carry.item);
}
