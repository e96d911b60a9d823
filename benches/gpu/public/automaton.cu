#define PIECE 256
#define LETTERS 32

extern "C" __global__ void find(const unsigned char* __restrict__ text, const unsigned char* __restrict__ next,
                                unsigned long long accepting, unsigned* __restrict__ counts, int pieces) {
  int piece = blockIdx.x * blockDim.x + threadIdx.x;
  if (piece >= pieces) return;
  int state = 0;
  unsigned count = 0;
  for (int i = 0; i < PIECE; i++) {
    state = next[state * LETTERS + text[i * pieces + piece]];
    if (accepting >> state & 1) count++;
  }
  counts[piece] = count;
}
