// A block combines the values of GR_THREADS * GR_EACH consecutive pairs in their order: each thread those of its own pairs, with a value for each
// element in shared memory, and then the block those of its threads. What it has for an element is left behind what the blocks before it have
// for that element, so the next launch finds the elements one after the other.
static __device__ __forceinline__ void gr_reduce(const gr_source& from, const u64 count, const gr_targets& to, const gr_partials& partials) {
  __shared__ __align__(16) u8 memory[GR_FEW_BYTES * GR_THREADS];
  const u32 thread = threadIdx.x, elements = (u32)to.len;
  gr_value* const values = (gr_value*)memory;
  u8* const there = memory + elements * GR_THREADS * sizeof(gr_value);
  for (u32 element = thread; element < elements; element += GR_THREADS) gr_leave_key(partials, (u64)element * gridDim.x + blockIdx.x, element);
  for (u32 element = 0; element < elements; ++element) there[element * GR_THREADS + thread] = 0;

  const u64 first = ((u64)blockIdx.x * GR_THREADS + thread) * GR_EACH;
  const u64 end = first >= count ? first : count - first < GR_EACH ? count : first + GR_EACH;
  for (u64 group = first; group < end; group += GR_AT_A_TIME) {
    gr_values x[GR_AT_A_TIME];
#pragma unroll
    for (u32 k = 0; k < GR_AT_A_TIME; ++k) {
      if (group + k < end) x[k] = gr_load(from.in, group + k);
    }
#pragma unroll
    for (u32 k = 0; k < GR_AT_A_TIME; ++k) {
      if (group + k >= end) break;
      const gr_item item = gr_compute(from.in, x[k]);
      const u64 index = (u64)item._0;
      const gr_value own = gr_value_of(item, (gr_key)(index < to.len ? index : to.len), to.len);
      const u32 place = (u32)index * GR_THREADS + thread;
      values[place] = there[place] ? gr_apply(values[place], own) : own;
      there[place] = 1;
    }
  }

  // Neighbours first: the order stays.
  for (u32 pairs = GR_THREADS / 2; pairs > 0; pairs /= 2) {
    const u32 distance = GR_THREADS / 2 / pairs;
    __syncthreads();
    for (u32 i = thread; i < elements * pairs; i += GR_THREADS) {
      const u32 place = i / pairs * GR_THREADS + i % pairs * 2 * distance;
      if (!there[place + distance]) continue;
      values[place] = there[place] ? gr_apply(values[place], values[place + distance]) : values[place + distance];
      there[place] = 1;
    }
  }
  __syncthreads();
  for (u32 element = thread; element < elements; element += GR_THREADS) {
    const u32 place = element * GR_THREADS;
    if (there[place]) gr_leave(partials, (u64)element * gridDim.x + blockIdx.x, values[place]);
  }
}
