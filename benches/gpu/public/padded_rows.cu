extern "C" __global__ void multiply(const double* __restrict__ values, const int* __restrict__ columns, int width, const double* __restrict__ x,
                                    double* __restrict__ y, int rows) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row < rows) {
    double sum = 0;
    for (int k = 0; k < width; k++) {
      int column = columns[k * rows + row];
      if (column >= 0) sum += values[k * rows + row] * x[column];
    }
    y[row] = sum;
  }
}
