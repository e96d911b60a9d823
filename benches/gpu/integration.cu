__device__ double row_sum(unsigned n, double h, unsigned row) {
  double x = h * (row + 0.5), sum = 0;
  for (unsigned column = 0; column < n; column++) sum += sin(x + h * (column + 0.5));
  return sum;
}

extern "C" __global__ void rows(unsigned n, double h, float* sums) {
  unsigned row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row < n) sums[row] = row_sum(n, h, row);
}

extern "C" __global__ void blocks(unsigned n, double h, float* sums) {
  __shared__ float partial[32];
  unsigned row = blockIdx.x * blockDim.x + threadIdx.x;
  partial[threadIdx.x] = row < n ? row_sum(n, h, row) : 0;
  __syncthreads();
  for (unsigned stride = 1; stride < blockDim.x; stride *= 2) {
    if (threadIdx.x % (2 * stride) == 0 && threadIdx.x + stride < blockDim.x) partial[threadIdx.x] += partial[threadIdx.x + stride];
    __syncthreads();
  }
  if (threadIdx.x == 0) sums[blockIdx.x] = partial[0];
}
