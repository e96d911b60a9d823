// The thread of the first pair of a run updates its element, pair by pair.
static __device__ __forceinline__ void gr_reduce(const gr_source& from, const u64 count, const u64, const gr_targets& to, const gr_partials&) {
  const u64 first = (u64)blockIdx.x * blockDim.x + threadIdx.x;
  if (first >= count) return;
  const gr_key key = from.keys[first];
  if (first > 0 && from.keys[first - 1] == key) return;
  gr_value value;
  for (u64 group = first;; group += GR_AT_A_TIME) {
    gr_values x[GR_AT_A_TIME];
    u32 some = 0;
#pragma unroll
    for (u32 k = 0; k < GR_AT_A_TIME; ++k) {
      if (group + k < count && from.keys[group + k] == key) {
        x[k] = gr_load(from.in, gr_place(from, group + k));
        some = k + 1;
      }
    }
#pragma unroll
    for (u32 k = 0; k < GR_AT_A_TIME; ++k) {
      if (k >= some) break;
      const gr_value own = gr_value_of(gr_compute(from.in, x[k]), key, to.len);
      // An index that is out of bounds has ended the thread.
      value = gr_apply(group + k == first ? to.first[key] : value, own);
    }
    if (some < GR_AT_A_TIME) break;
  }
  to.first[key] = value;
}

