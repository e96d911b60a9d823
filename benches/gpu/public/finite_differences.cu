#define RADIUS 4
#define WIDTH 32
#define HEIGHT 16
__constant__ float coefficients[RADIUS + 1] = {0.3f, 0.05f, 0.03f, 0.02f, 0.01f};

extern "C" __global__ void __launch_bounds__(WIDTH * HEIGHT) step(const float* __restrict__ before, float* __restrict__ after, int nx, int ny, int nz) {
  __shared__ float tile[HEIGHT + 2 * RADIUS][WIDTH + 2 * RADIUS];
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  int tx = threadIdx.x + RADIUS, ty = threadIdx.y + RADIUS;
  int row = nx + 2 * RADIUS, plane = row * (ny + 2 * RADIUS);
  bool inside = x < nx && y < ny;
  float column[2 * RADIUS + 1] = {};
  int at = (y + RADIUS) * row + x + RADIUS;
  if (inside) {
    for (int k = 0; k < 2 * RADIUS; k++) column[k + 1] = before[at + k * plane];
  }
  for (int z = 0; z < nz; z++) {
    for (int k = 0; k < 2 * RADIUS; k++) column[k] = column[k + 1];
    if (inside) column[2 * RADIUS] = before[at + 2 * RADIUS * plane];
    int centre = at + RADIUS * plane;
    __syncthreads();
    if (inside) {
      tile[ty][tx] = column[RADIUS];
      if (threadIdx.y < RADIUS) {
        tile[ty - RADIUS][tx] = before[centre - RADIUS * row];
        tile[ty + HEIGHT][tx] = before[centre + HEIGHT * row];
      }
      if (threadIdx.x < RADIUS) {
        tile[ty][tx - RADIUS] = before[centre - RADIUS];
        tile[ty][tx + WIDTH] = before[centre + WIDTH];
      }
    }
    __syncthreads();
    if (inside) {
      float sum = coefficients[0] * column[RADIUS];
      for (int k = 1; k <= RADIUS; k++)
        sum += coefficients[k] * (column[RADIUS - k] + column[RADIUS + k] + tile[ty - k][tx] + tile[ty + k][tx] + tile[ty][tx - k] + tile[ty][tx + k]);
      after[centre] = sum;
    }
    at += plane;
  }
}
