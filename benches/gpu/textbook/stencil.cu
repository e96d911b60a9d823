#define BLOCK 256
#define RADIUS 3

extern "C" __global__ void __launch_bounds__(BLOCK) stencil(const float* __restrict__ input, float* __restrict__ out, int n) {
  __shared__ float tile[BLOCK + 2 * RADIUS];
  int t = threadIdx.x, i = blockIdx.x * BLOCK + t;
  tile[t + RADIUS] = i < n + RADIUS ? input[i + RADIUS] : 0;
  if (t < RADIUS) {
    tile[t] = i < n + 2 * RADIUS ? input[i] : 0;
    int right = i + BLOCK + RADIUS;
    tile[t + BLOCK + RADIUS] = right < n + 2 * RADIUS ? input[right] : 0;
  }
  __syncthreads();
  if (i < n) {
    float sum = 0;
    for (int offset = 0; offset < 2 * RADIUS + 1; offset++) sum += tile[t + offset];
    out[i] = sum;
  }
}
