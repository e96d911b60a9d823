struct gr_partition {
  // How many rows there are, and how long they are.
  u64 rows;
  u64 reduced;
  // Into how many parts each is split, of how many elements; the last may be shorter, and none is empty.
  u64 parts;
  u64 chunk;
  // How many threads fold a part: a power of two up to a warp, or the block.
  u64 group;
};

// Consecutive elements: neighbouring threads read neighbouring ones of a part of a row.
static __device__ __forceinline__ void gr_reduction(const gr_inputs& in, const gr_outputs& out, const gr_partition& part) {
  const u32 group = (u32)part.group;
  const u32 at = threadIdx.x % group;
  const u64 task = (u64)blockIdx.x * (GR_BLOCK / group) + threadIdx.x / group;
  const bool exists = task < part.rows * part.parts;
  gr_item value;
  u32 count = 0;
  if (exists) {
    const u64 begin = task % part.parts * part.chunk;
    const u64 left = part.reduced - begin;
    const u64 len = left < part.chunk ? left : part.chunk;
    const u64 first = task / part.parts * part.reduced + begin;
    if (at < len) value = group == GR_BLOCK ? gr_fold(in, first + at, GR_BLOCK, first + len) : gr_fold(in, first + at, group, first + len);
    count = len < group ? (u32)len : group;
  }
  if (group <= 32) value = gr_fold_warp(value, at, count, group);
  else value = gr_fold_block(value, count);
  if (exists && at == 0) gr_store(out, task, value);
}

