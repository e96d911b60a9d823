extern "C" __global__ void product(const int* __restrict__ starts, const int* __restrict__ indices, const float* __restrict__ values,
                                   const float* __restrict__ dense, float* __restrict__ out, int rows, int columns) {
  int column = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row < rows && column < columns) {
    float sum = 0.0f;
    for (int k = starts[row]; k < starts[row + 1]; k++) sum += values[k] * dense[indices[k] * columns + column];
    out[row * columns + column] = sum;
  }
}
