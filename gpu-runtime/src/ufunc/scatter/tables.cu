// A thread combines what GR_EACH consecutive tables have at its place, in their order. Of a bucket whose tables are all among them, it stores the
// result. The first bucket may have begun before, and the last one may go on: what the thread has of them is left in two tables.
static __device__ __forceinline__ void gr_reduce(const gr_source& from, const u64 count, const u64, const gr_targets& to, const gr_partials& partials) {
  const u64 thread = (u64)blockIdx.x * blockDim.x + threadIdx.x, group = thread / GR_TABLE, first = group * GR_EACH;
  const u32 place = (u32)(thread % GR_TABLE);
  if (first >= count) return;
  const u64 end = count - first < GR_EACH ? count : first + GR_EACH;
  gr_key bucket = from.keys[first];
  if (partials.keys != 0) {
    gr_leave_none(partials, 2 * group, place, bucket);
    gr_leave_none(partials, 2 * group + 1, place, from.keys[end - 1]);
  }
  // Whether the bucket at hand began here, and whether it has a value.
  bool begins = first == 0 || from.keys[first - 1] != bucket, any = false;
  bool before = false;
  gr_value value, first_value;
  for (u64 some = first; some < end; some += GR_AT_A_TIME) {
    gr_values x[GR_AT_A_TIME];
    bool there[GR_AT_A_TIME];
#pragma unroll
    for (u32 k = 0; k < GR_AT_A_TIME; ++k) there[k] = some + k < end && from.there[(some + k) * GR_TABLE + place] != 0;
#pragma unroll
    for (u32 k = 0; k < GR_AT_A_TIME; ++k) {
      if (there[k]) x[k] = gr_load(from.in, (some + k) * GR_TABLE + place);
    }
#pragma unroll
    for (u32 k = 0; k < GR_AT_A_TIME; ++k) {
      if (some + k >= end) break;
      const gr_key next = from.keys[some + k];
      if (next != bucket) {
        if (any && begins) gr_put(to, (gr_key)(bucket << GR_BITS | place), value);
        else if (any) first_value = value, before = true;
        bucket = next, begins = true, any = false;
      }
      if (there[k]) {
        const gr_value own = gr_compute(from.in, x[k]);
        value = any ? gr_apply(value, own) : own;
        any = true;
      }
    }
  }
  const bool ends = end == count || from.keys[end] != bucket;
  if (any && !begins) first_value = value, before = true, any = false;
  if (any && ends) gr_put(to, (gr_key)(bucket << GR_BITS | place), value), any = false;
  if (partials.keys != 0) {
    if (before) gr_leave(partials, 2 * group, place, first_value);
    if (any) gr_leave(partials, 2 * group + 1, place, value);
  }
}

