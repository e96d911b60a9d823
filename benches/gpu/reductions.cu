// The work of the benchmark `reductions` as one writes it for speed: 16-byte loads, blocks of 256, arrays whose length the
// vectors divide.
__device__ double block_sum(double sum) {
  __shared__ double of_warps[8];
  for (int distance = 16; distance > 0; distance /= 2) sum += __shfl_down_sync(~0u, sum, distance);
  if (threadIdx.x % 32 == 0) of_warps[threadIdx.x / 32] = sum;
  __syncthreads();
  sum = threadIdx.x < 8 ? of_warps[threadIdx.x] : 0.0;
  for (int distance = 4; distance > 0; distance /= 2) sum += __shfl_down_sync(~0u, sum, distance);
  return sum;
}

// The sum of each block's share of the first array.
extern "C" __global__ void sum(const double2* __restrict__ x, const double2* __restrict__, double* partials, size_t n) {
  double sum = 0.0;
  const size_t stride = (size_t)gridDim.x * blockDim.x;
  size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
  for (; i + stride < n; i += 2 * stride) {
    const double2 a = x[i], b = x[i + stride];
    sum += (a.x + a.y) + (b.x + b.y);
  }
  if (i < n) sum += x[i].x + x[i].y;
  sum = block_sum(sum);
  if (threadIdx.x == 0) partials[blockIdx.x] = sum;
}

// The same of x * x + y.
extern "C" __global__ void square_plus(const double2* __restrict__ x, const double2* __restrict__ y, double* partials, size_t n) {
  double sum = 0.0;
  const size_t stride = (size_t)gridDim.x * blockDim.x;
  for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n; i += stride) {
    const double2 a = x[i], b = y[i];
    sum += (a.x * a.x + b.x) + (a.y * a.y + b.y);
  }
  sum = block_sum(sum);
  if (threadIdx.x == 0) partials[blockIdx.x] = sum;
}

// What the blocks gave, by one block, into the place after it.
extern "C" __global__ void fold(double* partials, size_t count) {
  double sum = 0.0;
  for (size_t i = threadIdx.x; i < count; i += blockDim.x) sum += partials[i];
  sum = block_sum(sum);
  if (threadIdx.x == 0) partials[count] = sum;
}

// The sum of each row, a block each.
extern "C" __global__ void rows(const float4* __restrict__ x, float* __restrict__ out, size_t n) {
  const float4* row = x + blockIdx.x * (n / 4);
  float sum = 0.0f;
  for (size_t i = threadIdx.x; i < n / 4; i += blockDim.x) sum += (row[i].x + row[i].y) + (row[i].z + row[i].w);
  const double all = block_sum(sum);
  if (threadIdx.x == 0) out[blockIdx.x] = all;
}

// The sum of each column, four columns a thread and a share of the rows for each index of the grid's second axis; `out` is zero.
extern "C" __global__ void columns(const float4* __restrict__ x, float* __restrict__ out, size_t n) {
  const size_t column = blockIdx.x * (size_t)blockDim.x + threadIdx.x, width = n / 4;
  if (column >= width) return;
  float4 sum = {0.0f, 0.0f, 0.0f, 0.0f};
  for (size_t row = blockIdx.y; row < n; row += gridDim.y) {
    const float4 a = x[row * width + column];
    sum.x += a.x;
    sum.y += a.y;
    sum.z += a.z;
    sum.w += a.w;
  }
  atomicAdd(out + 4 * column, sum.x);
  atomicAdd(out + 4 * column + 1, sum.y);
  atomicAdd(out + 4 * column + 2, sum.z);
  atomicAdd(out + 4 * column + 3, sum.w);
}
