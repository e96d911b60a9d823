#define BLOCK 256

extern "C" __global__ void by_thread(const unsigned* __restrict__ starts, const unsigned* __restrict__ columns,
                                     const float* __restrict__ values, const float* __restrict__ x, float* __restrict__ y, int rows) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row < rows) {
    float sum = 0;
    for (unsigned k = starts[row], end = starts[row + 1]; k < end; k++) sum += values[k] * x[columns[k]];
    y[row] = sum;
  }
}

extern "C" __global__ void __launch_bounds__(BLOCK) by_warp(const unsigned* __restrict__ starts, const unsigned* __restrict__ columns,
                                                            const float* __restrict__ values, const float* __restrict__ x,
                                                            float* __restrict__ y, int rows) {
  int thread = blockIdx.x * BLOCK + threadIdx.x, row = thread / 32, lane = thread % 32;
  if (row < rows) {
    float sum = 0;
    for (unsigned k = starts[row] + lane, end = starts[row + 1]; k < end; k += 32) sum += values[k] * x[columns[k]];
    for (int delta = 16; delta > 0; delta /= 2) sum += __shfl_down_sync(0xffffffff, sum, delta);
    if (lane == 0) y[row] = sum;
  }
}
