extern "C" __global__ void step(const float* __restrict__ before, float* __restrict__ after, int nx, int ny, int nz, float rate) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= nx * ny * nz) return;
  int x = i % nx, y = i / nx % ny, z = i / (nx * ny);
#define AT(x, y, z) before[((z) * ny + (y)) * nx + (x)]
  float sum = AT((x + 1) % nx, y, z) + AT((x + nx - 1) % nx, y, z) + AT(x, (y + 1) % ny, z) + AT(x, (y + ny - 1) % ny, z) +
              AT(x, y, (z + 1) % nz) + AT(x, y, (z + nz - 1) % nz);
  after[i] = before[i] + rate * (sum - 6.0f * before[i]);
}
