#define BLOCK 256
#define ROWS_PER_LAUNCH 20
#define INNER (BLOCK - 2 * ROWS_PER_LAUNCH)

extern "C" __global__ void __launch_bounds__(BLOCK)
pathfinder(const int* __restrict__ wall, const int* __restrict__ from, int* __restrict__ to, int columns, int start) {
  __shared__ int before[BLOCK], after[BLOCK];
  int t = threadIdx.x;
  int column = blockIdx.x * INNER + t - ROWS_PER_LAUNCH;
  bool is_inside = column >= 0 && column < columns;
  before[t] = is_inside ? from[column] : 0x7fffffff;
  __syncthreads();
  for (int step = 0; step < ROWS_PER_LAUNCH; step++) {
    if (t > step && t < BLOCK - 1 - step) {
      int cheapest = min(min(before[t - 1], before[t]), before[t + 1]);
      after[t] = is_inside ? cheapest + wall[(start + step) * columns + column] : 0x7fffffff;
    }
    __syncthreads();
    if (t > step && t < BLOCK - 1 - step) before[t] = after[t];
    __syncthreads();
  }
  if (t >= ROWS_PER_LAUNCH && t < BLOCK - ROWS_PER_LAUNCH && is_inside) to[column] = before[t];
}
