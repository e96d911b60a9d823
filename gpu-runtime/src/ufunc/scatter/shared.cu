(const gr_inputs in, gr_value* const target, const u64 len, const u64 count) {
  // Several sums for each element, for threads that add to the same element at the same time.
  __shared__ gr_value sums[GR_SUMS];
  const u32 elements = (u32)len, fit = GR_SUMS / elements, copies = fit < 32 ? fit : 32;
  for (u32 i = threadIdx.x; i < elements * copies; i += 256) sums[i] = 0;
  __syncthreads();
  gr_value* const mine = sums + threadIdx.x % copies;
  const u64 stride = (u64)gridDim.x * 1024;
  for (u64 first = (u64)blockIdx.x * 1024 + threadIdx.x; first < count; first += stride) {
    if (first + 768 < count) {
      gr_values x[4];
#pragma unroll
      for (u32 k = 0; k < 4; ++k) x[k] = gr_load(in, first + k * 256);
#pragma unroll
      for (u32 k = 0; k < 4; ++k) {
        const gr_item item = gr_compute(in, x[k]);
        gr_update(mine + (u32)gr_index(item, len) * copies, item._1);
      }
    } else {
      for (u64 i = first; i < count && i <= first + 768; i += 256) {
        const gr_item item = gr_element(in, i);
        gr_update(mine + (u32)gr_index(item, len) * copies, item._1);
      }
    }
  }
  __syncthreads();
  for (u32 element = threadIdx.x; element < elements; element += 256) {
    gr_value sum = 0;
    for (u32 copy = 0; copy < copies; ++copy) sum += sums[element * copies + (copy + element) % copies];
    if (sum != 0) gr_update(target + element, sum);
  }
}
