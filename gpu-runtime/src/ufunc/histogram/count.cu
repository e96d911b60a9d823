(const gr_inputs in, const gr_bins bins, u64* const counts, const u64 len) {
#if GR_COUNTERS
  // Several copies, for the warps to get in each other's way less.
  __shared__ u32 counters[GR_COUNTERS];
  const u32 count = (u32)bins.count, copies = GR_COUNTERS / count;
  for (u32 i = threadIdx.x; i < GR_COUNTERS; i += 256) counters[i] = 0;
  __syncthreads();
  u32* const mine = counters + threadIdx.x / 32 % copies * count;
#endif
  for (u64 first = (u64)blockIdx.x * 1024; first < len; first += (u64)gridDim.x * 1024) {
    u64 found[4];
#pragma unroll
    for (u32 k = 0; k < 4; ++k) {
      const u64 i = first + k * 256 + threadIdx.x;
      found[k] = i < len ? gr_bin(bins, gr_element(in, i)) : bins.count;
    }
#pragma unroll
    for (u32 k = 0; k < 4; ++k) {
      if (found[k] < bins.count) {
#if GR_COUNTERS
        atomicAdd(&mine[found[k]], 1u);
#else
        atomicAdd(&counts[found[k]], 1ull);
#endif
      }
    }
  }
#if GR_COUNTERS
  __syncthreads();
  for (u32 bin = threadIdx.x; bin < count; bin += 256) {
    u32 sum = 0;
    for (u32 copy = 0; copy < copies; ++copy) sum += counters[copy * count + bin];
    if (sum != 0) atomicAdd(&counts[bin], (u64)sum);
  }
#endif
}
