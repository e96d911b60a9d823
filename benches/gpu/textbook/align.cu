#define TILE 16

extern "C" __global__ void __launch_bounds__(TILE)
align(const int* __restrict__ similarity, int* __restrict__ scores, int side, int diagonal, int first, int gap) {
  __shared__ int tile[TILE + 1][TILE + 1], similar[TILE][TILE];
  int t = threadIdx.x;
  int tile_column = first + blockIdx.x, tile_row = diagonal - tile_column;
  int corner = tile_row * TILE * side + tile_column * TILE;
  for (int row = 0; row < TILE; row++) similar[row][t] = similarity[corner + (row + 1) * side + t + 1];
  if (t == 0) tile[0][0] = scores[corner];
  tile[t + 1][0] = scores[corner + (t + 1) * side];
  tile[0][t + 1] = scores[corner + t + 1];
  __syncthreads();
  for (int step = 0; step < 2 * TILE - 1; step++) {
    if (t <= step && step - t < TILE) {
      int row = step - t + 1, column = t + 1;
      int matched = tile[row - 1][column - 1] + similar[row - 1][column - 1];
      tile[row][column] = max(max(matched, tile[row][column - 1] - gap), tile[row - 1][column] - gap);
    }
    __syncthreads();
  }
  for (int row = 0; row < TILE; row++) scores[corner + (row + 1) * side + t + 1] = tile[row + 1][t + 1];
}
