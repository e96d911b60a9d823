extern "C" __global__ void life(const unsigned char* __restrict__ cells, unsigned char* __restrict__ next, int width, int height) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height) return;
  int left = (x + width - 1) % width, right = (x + 1) % width, up = (y + height - 1) % height, down = (y + 1) % height;
  int rows[3] = {up, y, down};
  unsigned char alive = 0;
  for (int k = 0; k < 3; k++) alive += cells[rows[k] * width + left] + cells[rows[k] * width + x] + cells[rows[k] * width + right];
  alive -= cells[y * width + x];
  next[y * width + x] = alive == 3 || (alive == 2 && cells[y * width + x] == 1);
}
