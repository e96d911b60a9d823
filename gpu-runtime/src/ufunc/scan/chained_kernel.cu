(const gr_inputs in, const gr_scan scan) {
  const u32 TILE = GR_LANES * GR_RUN;
  __shared__ gr_item tile[TILE + TILE / 32];
  __shared__ gr_prefix totals[GR_LANES / 32], totals_before[GR_LANES / 32];
  const u32 lane = threadIdx.x;
  // Blocks start in the order of their index: those that this one waits for run or have run.
  const u64 unit = blockIdx.x;
  const u64 row = unit / scan.chunks, chunk = unit % scan.chunks;
  const u64 left = scan.len - chunk * TILE, start = row * scan.len + chunk * TILE;
  const u32 count = left < TILE ? (u32)left : TILE;
  gr_run run;
  if (count == TILE) {
#pragma unroll
    for (u32 k = 0; k < GR_RUN; ++k) run.items[k] = gr_element(in, start + k * GR_LANES + lane);
#pragma unroll
    for (u32 k = 0; k < GR_RUN; ++k) tile[gr_place(k * GR_LANES + lane)] = run.items[k];
  } else {
    for (u32 j = lane; j < count; j += GR_LANES) tile[gr_place(j)] = gr_element(in, start + j);
  }
  __syncthreads();
  gr_read_run(run, tile, lane, count);
  gr_prefix own;
  own.any = false;
  const gr_prefix in_tile = gr_scan_lanes(run.sum, own, totals);
  if (lane == 0) gr_publish(scan, unit, own.item);

  // The chunks of the same group before this one, each read by one thread.
  const u64 groups = (scan.chunks + GR_GROUP - 1) / GR_GROUP, group = chunk / GR_GROUP;
  const u32 position = (u32)(chunk % GR_GROUP);
  gr_prefix other;
  other.any = lane < position;
  if (other.any) other.item = gr_await(scan, unit - position + lane);
  gr_prefix in_group;
  in_group.any = false;
  gr_scan_lanes(other, in_group, totals_before);

  // The groups before this one, which the last chunk of each adds up.
  const u64 of_group = scan.units + row * groups + group;
  gr_prefix prefix;
  prefix.any = group > 0;
  if (prefix.any) prefix.item = gr_await(scan, of_group - 1);
  gr_append(prefix, in_group);
  if (position == GR_GROUP - 1 && lane == 0) {
    gr_prefix upto = prefix;
    gr_append(upto, own);
    gr_publish(scan, of_group, upto.item);
  }

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
  for (u32 j = lane; j < count; j += GR_LANES) gr_put(scan, start + j, gr_read(tile[gr_place(j)]));
}
