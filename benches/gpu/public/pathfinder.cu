#define BLOCK 256
#define HALO 20

extern "C" __global__ void __launch_bounds__(BLOCK) paths(const int* __restrict__ wall, const int* __restrict__ first, int* __restrict__ cheapest, int columns, int rows) {
  __shared__ int before[BLOCK];
  __shared__ int after[BLOCK];
  int t = threadIdx.x;
  int column = blockIdx.x * (BLOCK - 2 * HALO) + t - HALO;
  bool inside = column >= 0 && column < columns;
  if (inside) before[t] = first[column];
  __syncthreads();
  for (int row = 1; row < rows; row++) {
    bool computed = t >= row && t < BLOCK - row && inside;
    if (computed) {
      int left = column > 0 ? before[t - 1] : before[t];
      int right = column + 1 < columns ? before[t + 1] : before[t];
      after[t] = min(min(left, before[t]), right) + wall[row * columns + column];
    }
    __syncthreads();
    if (computed) before[t] = after[t];
    __syncthreads();
  }
  if (t >= HALO && t < BLOCK - HALO && inside) cheapest[column] = before[t];
}
