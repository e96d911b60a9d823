(const gr_inputs in, const gr_scan scan) {
  const u32 TILE = GR_LANES * GR_RUN;
  __shared__ gr_item tile[TILE];
  __shared__ gr_item totals[GR_LANES / 32];
  __shared__ gr_prefix before;
  // Blocks start in the order of their index: those that this one waits for run or have run.
  const u32 chunks = (u32)scan.chunks, row = blockIdx.x / chunks, chunk = blockIdx.x % chunks;
  const u64 left = scan.len - (u64)chunk * TILE;
  // The compiler knows the length of whole tiles.
  if (left >= TILE) gr_chain(in, scan, row, chunk, TILE, tile, totals, before);
  else gr_chain(in, scan, row, chunk, (u32)left, tile, totals, before);
}
