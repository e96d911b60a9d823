extern "C" __global__ void scatter(const unsigned* __restrict__ indices, unsigned* __restrict__ counters, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(&counters[indices[i]], 1u);
}
