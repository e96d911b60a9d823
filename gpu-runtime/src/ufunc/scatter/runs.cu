// A thread combines GR_EACH consecutive values in the order of their keys. Of a run of equal keys that begins and ends there, it stores the
// result. The first run may have begun before, and the last one may go on: what the thread has of them is left at two places of its own.
static __device__ __forceinline__ void gr_reduce(const gr_source& from, const u64 count, const gr_targets& to, const gr_partials& partials) {
  const u64 thread = (u64)blockIdx.x * blockDim.x + threadIdx.x;
  const u64 first = thread * GR_EACH;
  if (first >= count) return;
  const u64 end = count - first < GR_EACH ? count : first + GR_EACH;
  gr_key key = from.keys[first];
  if (partials.keys != 0) {
    gr_leave_key(partials, 2 * thread, key);
    gr_leave_key(partials, 2 * thread + 1, from.keys[end - 1]);
  }
  // Whether the run at hand began here, and whether it has a value.
  bool begins = first == 0 || from.keys[first - 1] != key, any = false;
  bool before = false;
  gr_value value, first_value;
  for (u64 group = first; group < end; group += GR_AT_A_TIME) {
    gr_values x[GR_AT_A_TIME];
    bool there[GR_AT_A_TIME];
#pragma unroll
    for (u32 k = 0; k < GR_AT_A_TIME; ++k) {
      there[k] = group + k < end && gr_is_there(from, group + k);
      if (there[k]) x[k] = gr_load(from.in, gr_place(from, group + k));
    }
#pragma unroll
    for (u32 k = 0; k < GR_AT_A_TIME; ++k) {
      if (group + k >= end) break;
      const gr_key next = from.keys[group + k];
      if (next != key) {
        if (any && begins) gr_put(to, key, value);
        else if (any) first_value = value, before = true;
        key = next, begins = true, any = false;
      }
      if (there[k]) {
        const gr_value own = gr_value_of(gr_compute(from.in, x[k]), key, to.len);
        value = any ? gr_apply(value, own) : own;
        any = true;
      }
    }
  }
  const bool ends = end == count || from.keys[end] != key;
  if (any && !begins) first_value = value, before = true, any = false;
  if (any && ends) gr_put(to, key, value), any = false;
  if (partials.keys != 0) {
    if (before) gr_leave(partials, 2 * thread, first_value);
    if (any) gr_leave(partials, 2 * thread + 1, value);
  }
}

