#define TILE 16

extern "C" __global__ void naive(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ c, size_t n) {
  size_t x = blockIdx.x * (size_t)blockDim.x + threadIdx.x, y = blockIdx.y * (size_t)blockDim.y + threadIdx.y;
  if (x < n && y < n) {
    float sum = 0;
    for (size_t k = 0; k < n; k++) sum += a[y * n + k] * b[k * n + x];
    c[y * n + x] = sum;
  }
}

extern "C" __global__ void __launch_bounds__(TILE * TILE)
tiled(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ c, size_t n) {
  __shared__ float tile_a[TILE][TILE], tile_b[TILE][TILE];
  size_t column = threadIdx.x, row = threadIdx.y;
  size_t x = blockIdx.x * (size_t)TILE + column, y = blockIdx.y * (size_t)TILE + row;
  float sum = 0;
  for (size_t start = 0; start < n; start += TILE) {
    size_t a_column = start + column, b_row = start + row;
    tile_a[row][column] = y < n && a_column < n ? a[y * n + a_column] : 0;
    tile_b[row][column] = b_row < n && x < n ? b[b_row * n + x] : 0;
    __syncthreads();
    for (size_t k = 0; k < TILE; k++) sum += tile_a[row][k] * tile_b[k][column];
    __syncthreads();
  }
  if (x < n && y < n) c[y * n + x] = sum;
}
