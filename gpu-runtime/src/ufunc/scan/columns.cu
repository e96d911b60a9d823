(const gr_inputs in, const gr_scan scan) {
  const u64 unit = (u64)blockIdx.x * blockDim.x + threadIdx.x;
  if (unit >= scan.units) return;
  const u64 inner = unit % scan.inners, above = unit / scan.inners;
  const u64 outer = above / scan.chunks, chunk = above % scan.chunks;
  gr_prefix prefix;
  prefix.any = false;
  if (GR_STORES) {
    const u64 first_chunk = outer * scan.chunks * scan.inners + inner;
    for (u64 c = 0; c < chunk; ++c) gr_append(prefix, gr_sum(scan, first_chunk + c * scan.inners));
  }
  const u64 first = chunk * scan.chunk_len;
  const u64 last = first + scan.chunk_len < scan.len ? first + scan.chunk_len : scan.len;
  for (u64 k = first; k < last; ++k) {
    const u64 i = (outer * scan.len + k) * scan.inners + inner;
    const gr_item item = gr_element(in, i);
    if (GR_STORES && GR_EXCLUSIVE) gr_put(scan, i, prefix.any ? prefix.item : gr_identity(scan));
    gr_append(prefix, item);
    if (GR_STORES && !GR_EXCLUSIVE) gr_put(scan, i, prefix.item);
  }
  if (!GR_STORES) gr_put_sum(scan, unit, prefix.item);
}
