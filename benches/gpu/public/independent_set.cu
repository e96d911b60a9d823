typedef unsigned char byte;

extern "C" __global__ void begin(const int* __restrict__ starts, const int* __restrict__, byte* __restrict__ states, int n) {
  int v = blockIdx.x * blockDim.x + threadIdx.x;
  if (v < n) {
    int degree = starts[v + 1] - starts[v];
    unsigned hash = (v * 0x9e3779b9u) >> 20;
    float priority = 126.0f * 16.0f / (16.0f + degree + hash / 4096.0f);
    states[v] = ((byte)priority * 2) | 1;
  }
}

extern "C" __global__ void decide(const int* __restrict__ starts, const int* __restrict__ neighbours, volatile byte* __restrict__ states, int n) {
  int from = blockIdx.x * blockDim.x + threadIdx.x, step = gridDim.x * blockDim.x;
  int missing;
  do {
    missing = 0;
    for (int v = from; v < n; v += step) {
      byte own = states[v];
      if (own & 1) {
        int k = starts[v], end = starts[v + 1];
        while (k < end) {
          int u = neighbours[k];
          byte other = states[u];
          if (own > other || (own == other && v > u) || v == u) k++;
          else break;
        }
        if (k < end) {
          missing = 1;
        } else {
          for (int k = starts[v]; k < end; k++) states[neighbours[k]] = 0;
          states[v] = 254;
        }
      }
    }
  } while (missing);
}
