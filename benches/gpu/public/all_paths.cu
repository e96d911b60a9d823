extern "C" __global__ void pass(unsigned* __restrict__ distances, unsigned* __restrict__ passed, int n, int through) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < n && y < n) {
    unsigned old = distances[y * n + x];
    unsigned fresh = distances[y * n + through] + distances[through * n + x];
    if (fresh < old) {
      distances[y * n + x] = fresh;
      passed[y * n + x] = through;
    }
  }
}
