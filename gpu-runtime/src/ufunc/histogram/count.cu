(const gr_inputs in, const gr_bins bins, u64* const counts, const u64 len) {
  __shared__ gr_edges edges;
  gr_fill_edges(edges, bins);
#if GR_COUNTERS
  // Several copies, for the warps to get in each other's way less. Each has a counter behind its last for what is in no bin.
  __shared__ u32 counters[GR_COUNTERS + 1];
  const u32 count = (u32)bins.count, copies = (GR_COUNTERS + 1) / (count + 1);
  for (u32 i = threadIdx.x; i < GR_COUNTERS + 1; i += 256) counters[i] = 0;
  __syncthreads();
  u32* const mine = counters + threadIdx.x / 32 % copies * (count + 1);
#else
  const u64 count = bins.count;
  u64* const mine = counts;
#endif
  for (u64 first = (u64)blockIdx.x * GR_TILE; first < len; first += (u64)gridDim.x * GR_TILE) {
    if (first + GR_TILE <= len) {
      gr_values x[GR_TILE / 256];
#pragma unroll
      for (u32 k = 0; k < GR_TILE / 256; ++k) x[k] = gr_load(in, first + k * 256 + threadIdx.x);
#pragma unroll
      for (u32 k = 0; k < GR_TILE / 256; ++k) {
        const gr_number bin = gr_bin(bins, edges, gr_compute(in, x[k]));
        if (GR_COUNTERS || bin < count) atomicAdd(&mine[bin], (gr_number)1);
      }
    } else {
      for (u64 i = first + threadIdx.x; i < len; i += 256) {
        const gr_number bin = gr_bin(bins, edges, gr_element(in, i));
        if (GR_COUNTERS || bin < count) atomicAdd(&mine[bin], (gr_number)1);
      }
    }
  }
#if GR_COUNTERS
  __syncthreads();
  for (u32 bin = threadIdx.x; bin < count; bin += 256) {
    u32 sum = 0;
    for (u32 copy = 0; copy < copies; ++copy) sum += counters[copy * (count + 1) + bin];
    if (sum != 0) atomicAdd(&counts[bin], (u64)sum);
  }
#endif
}
