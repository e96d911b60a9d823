#define SIDE 32
#define ROWS 8

extern "C" __global__ void __launch_bounds__(SIDE * ROWS) decompose(float* __restrict__ matrices) {
  __shared__ float a[SIDE][SIDE];
  int x = threadIdx.x, y = threadIdx.y, first = blockIdx.x * SIDE * SIDE;
  for (int row = y; row < SIDE; row += ROWS) a[row][x] = matrices[first + row * SIDE + x];
  __syncthreads();
  for (int k = 0; k < SIDE - 1; k++) {
    if (y == 0 && x > k) a[x][k] /= a[k][k];
    __syncthreads();
    for (int row = y; row < SIDE; row += ROWS)
      if (row > k && x > k) a[row][x] -= a[row][k] * a[k][x];
    __syncthreads();
  }
  for (int row = y; row < SIDE; row += ROWS) matrices[first + row * SIDE + x] = a[row][x];
}
