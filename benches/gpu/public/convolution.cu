#define RADIUS 8
#define RESULTS 8
#define HALO 1
#define ROWS_X 16
#define ROWS_Y 4
#define COLUMNS_X 16
#define COLUMNS_Y 8

extern "C" __global__ void __launch_bounds__(ROWS_X * ROWS_Y)
rows(float* __restrict__ out, const float* __restrict__ image, const float* __restrict__ weights, int width, int height) {
  __shared__ float tile[ROWS_Y][(RESULTS + 2 * HALO) * ROWS_X];
  int tx = threadIdx.x, ty = threadIdx.y;
  int row = (blockIdx.y * ROWS_Y + ty) * width;
  int first = blockIdx.x * RESULTS * ROWS_X + tx;
  for (int i = 0; i < RESULTS; i++) tile[ty][tx + (HALO + i) * ROWS_X] = image[row + first + i * ROWS_X];
  for (int i = 0; i < HALO; i++) {
    int left = first + (i - HALO) * ROWS_X;
    tile[ty][tx + i * ROWS_X] = left >= 0 ? image[row + left] : 0.0f;
  }
  for (int i = HALO + RESULTS; i < HALO + RESULTS + HALO; i++) {
    int right = first + (i - HALO) * ROWS_X;
    tile[ty][tx + i * ROWS_X] = right < width ? image[row + right] : 0.0f;
  }
  __syncthreads();
  for (int i = 0; i < RESULTS; i++) {
    float sum = 0.0f;
    for (int j = -RADIUS; j <= RADIUS; j++) sum += weights[RADIUS - j] * tile[ty][tx + (HALO + i) * ROWS_X + j];
    out[row + first + i * ROWS_X] = sum;
  }
}

extern "C" __global__ void __launch_bounds__(COLUMNS_X * COLUMNS_Y)
columns(float* __restrict__ out, const float* __restrict__ image, const float* __restrict__ weights, int width, int height) {
  __shared__ float tile[COLUMNS_X][(RESULTS + 2 * HALO) * COLUMNS_Y + 1];
  int tx = threadIdx.x, ty = threadIdx.y;
  int column = blockIdx.x * COLUMNS_X + tx;
  int first = blockIdx.y * RESULTS * COLUMNS_Y + ty;
  for (int i = 0; i < RESULTS; i++) tile[tx][ty + (HALO + i) * COLUMNS_Y] = image[(first + i * COLUMNS_Y) * width + column];
  for (int i = 0; i < HALO; i++) {
    int upper = first + (i - HALO) * COLUMNS_Y;
    tile[tx][ty + i * COLUMNS_Y] = upper >= 0 ? image[upper * width + column] : 0.0f;
  }
  for (int i = HALO + RESULTS; i < HALO + RESULTS + HALO; i++) {
    int lower = first + (i - HALO) * COLUMNS_Y;
    tile[tx][ty + i * COLUMNS_Y] = lower < height ? image[lower * width + column] : 0.0f;
  }
  __syncthreads();
  for (int i = 0; i < RESULTS; i++) {
    float sum = 0.0f;
    for (int j = -RADIUS; j <= RADIUS; j++) sum += weights[RADIUS - j] * tile[tx][ty + (HALO + i) * COLUMNS_Y + j];
    out[(first + i * COLUMNS_Y) * width + column] = sum;
  }
}
