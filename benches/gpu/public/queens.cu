#define SIDE 15
#define PLACED 6

static __device__ bool is_legal(const signed char* board, int depth) {
  for (int row = 0; row < depth; row++) {
    int distance = depth - row;
    if (board[row] == board[depth] - distance || board[row] == board[depth] + distance) return false;
  }
  return true;
}

extern "C" __global__ void count(const signed char* __restrict__ beginnings, unsigned* __restrict__ solutions, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  signed char board[SIDE];
  unsigned taken = 0;
  for (int row = 0; row < SIDE; row++) board[row] = -1;
  for (int row = 0; row < PLACED; row++) {
    board[row] = beginnings[i * PLACED + row];
    taken |= 1u << board[row];
  }
  int depth = PLACED;
  unsigned found = 0;
  while (true) {
    board[depth]++;
    if (board[depth] == SIDE) {
      board[depth] = -1;
      depth--;
      if (depth < PLACED) break;
      taken &= ~(1u << board[depth]);
    } else if (!(taken & (1u << board[depth])) && is_legal(board, depth)) {
      if (depth == SIDE - 1) {
        found++;
      } else {
        taken |= 1u << board[depth];
        depth++;
      }
    }
  }
  solutions[i] = found;
}
