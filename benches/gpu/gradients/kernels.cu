// Kernels and their adjoints as a person writes them.

extern "C" __global__ void rows_adjoint(const unsigned* __restrict__ starts, const unsigned* __restrict__ columns,
                                        const float* __restrict__ values, const float* __restrict__ x, const float* __restrict__ d_y,
                                        float* __restrict__ d_values, float* __restrict__ d_x, int rows) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row < rows) {
    float d = d_y[row];
    for (unsigned k = starts[row], end = starts[row + 1]; k < end; k++) {
      d_values[k] += d * x[columns[k]];
      atomicAdd(&d_x[columns[k]], d * values[k]);
    }
  }
}

extern "C" __global__ void stencil_adjoint(const float* __restrict__ x, const float* __restrict__ d_y, float* __restrict__ d_x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n - 2) {
    float value = 0.25f * x[i] + 0.5f * x[i + 1] + 0.25f * x[i + 2];
    float d = 2.0f * value * d_y[i];
    atomicAdd(&d_x[i], 0.25f * d);
    atomicAdd(&d_x[i + 1], 0.5f * d);
    atomicAdd(&d_x[i + 2], 0.25f * d);
  }
}

// Each pair once for each of its bodies: what the others add to a body is what it adds to them, with the other sign.
extern "C" __global__ void bodies_adjoint(const float* __restrict__ x, const float* __restrict__ y, const float* __restrict__ d_fx,
                                          const float* __restrict__ d_fy, float* __restrict__ d_x, float* __restrict__ d_y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float own_x = x[i], own_y = y[i], own_dfx = d_fx[i], own_dfy = d_fy[i], by_x = 0, by_y = 0;
  for (int j = 0; j < n; j++) {
    float dx = x[j] - own_x, dy = y[j] - own_y;
    float r2 = dx * dx + dy * dy + 0.01f, r = rsqrtf(r2), scale = r * r * r;
    float gx = own_dfx - d_fx[j], gy = own_dfy - d_fy[j];
    float along = 3.0f * scale * r * r * (gx * dx + gy * dy);
    by_x += along * dx - gx * scale;
    by_y += along * dy - gy * scale;
  }
  d_x[i] += by_x;
  d_y[i] += by_y;
}
