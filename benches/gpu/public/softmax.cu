__device__ float block_max(float value) {
  __shared__ float of_warps[32];
  for (int distance = 16; distance > 0; distance /= 2) value = fmaxf(value, __shfl_xor_sync(~0u, value, distance));
  if (threadIdx.x % 32 == 0) of_warps[threadIdx.x / 32] = value;
  __syncthreads();
  value = of_warps[0];
  for (int warp = 1; warp < 8; warp++) value = fmaxf(value, of_warps[warp]);
  __syncthreads();
  return value;
}

__device__ float block_sum(float value) {
  __shared__ float of_warps[32];
  for (int distance = 16; distance > 0; distance /= 2) value += __shfl_xor_sync(~0u, value, distance);
  if (threadIdx.x % 32 == 0) of_warps[threadIdx.x / 32] = value;
  __syncthreads();
  value = of_warps[0];
  for (int warp = 1; warp < 8; warp++) value += of_warps[warp];
  __syncthreads();
  return value;
}

extern "C" __global__ void __launch_bounds__(256) softmax(const float* __restrict__ x, float* __restrict__ out, int columns) {
  int start = blockIdx.x * columns;
  float largest = -1.0f / 0.0f;
  for (int column = threadIdx.x; column < columns; column += 256) largest = fmaxf(largest, x[start + column]);
  largest = block_max(largest);
  float sum = 0;
  for (int column = threadIdx.x; column < columns; column += 256) sum += expf(x[start + column] - largest);
  sum = block_sum(sum);
  for (int column = threadIdx.x; column < columns; column += 256) out[start + column] = expf(x[start + column] - largest) / sum;
}
