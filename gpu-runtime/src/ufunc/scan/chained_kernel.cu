(const gr_inputs in, const gr_scan scan) {
  const u32 TILE = GR_LANES * GR_RUN;
  __shared__ gr_item tile[TILE + TILE / 32];
  __shared__ gr_prefix totals[GR_LANES / 32 + 1];
  // Blocks start in the order of their index: those that this one waits for run or have run.
  const u64 row = blockIdx.x / scan.chunks, chunk = blockIdx.x % scan.chunks;
  const u64 left = scan.len - chunk * TILE;
  // The compiler knows the length of whole tiles.
  if (left >= TILE) gr_chain(in, scan, row, chunk, TILE, tile, totals);
  else gr_chain(in, scan, row, chunk, (u32)left, tile, totals);
}
