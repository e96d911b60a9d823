#define BLOCK 16

extern "C" __global__ void __launch_bounds__(BLOCK * BLOCK) heat(int steps, const float* __restrict__ power, const float* __restrict__ before,
                                                                 float* __restrict__ after, int columns, int rows, float rate, float rx, float ry, float rz) {
  __shared__ float old[BLOCK][BLOCK];
  __shared__ float watts[BLOCK][BLOCK];
  __shared__ float fresh[BLOCK][BLOCK];
  int tx = threadIdx.x, ty = threadIdx.y, bx = blockIdx.x, by = blockIdx.y;
  int small = BLOCK - steps * 2;
  int top = small * by - steps, left = small * bx - steps;
  int row = top + ty, column = left + tx;
  bool inside = row >= 0 && row < rows && column >= 0 && column < columns;
  if (inside) {
    old[ty][tx] = before[row * columns + column];
    watts[ty][tx] = power[row * columns + column];
  }
  __syncthreads();
  int first_y = max(-top, 0), last_y = min(rows - 1 - top, BLOCK - 1);
  int first_x = max(-left, 0), last_x = min(columns - 1 - left, BLOCK - 1);
  int north = max(ty - 1, first_y), south = min(ty + 1, last_y);
  int west = max(tx - 1, first_x), east = min(tx + 1, last_x);
  bool computed = false;
  for (int i = 0; i < steps; i++) {
    computed = tx >= i + 1 && tx <= BLOCK - i - 2 && ty >= i + 1 && ty <= BLOCK - i - 2 && inside;
    if (computed) {
      float own = old[ty][tx];
      fresh[ty][tx] = own + rate * (watts[ty][tx] + (old[south][tx] + old[north][tx] - 2.0f * own) * ry + (old[ty][east] + old[ty][west] - 2.0f * own) * rx + (80.0f - own) * rz);
    }
    __syncthreads();
    if (i == steps - 1) break;
    if (computed) old[ty][tx] = fresh[ty][tx];
    __syncthreads();
  }
  if (computed) after[row * columns + column] = fresh[ty][tx];
}
