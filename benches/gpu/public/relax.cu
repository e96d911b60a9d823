extern "C" __global__ void relax(const int* __restrict__ starts, const int* __restrict__ edges, const int* __restrict__ cost, int* __restrict__ out, int n) {
  int v = blockIdx.x * blockDim.x + threadIdx.x;
  if (v < n) {
    int best = cost[v];
    int begin = starts[v], end = starts[v + 1];
    int e = begin;
    while (e < end) {
      int u = edges[e];
      int c = cost[u] + 1;
      if (c < best) best = c;
      e++;
    }
    out[v] = best;
  }
}
