extern "C" __global__ void means(const float* __restrict__ values, const unsigned* __restrict__ starts, float* __restrict__ out, int count) {
  int segment = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
  if (segment < count) {
    int start = starts[segment], end = starts[segment + 1];
    float sum = 0;
    for (int i = start + lane; i < end; i += 32) sum += values[i];
    for (int distance = 16; distance > 0; distance /= 2) sum += __shfl_xor_sync(~0u, sum, distance);
    if (lane == 0) out[segment] = sum / (end - start);
  }
}
