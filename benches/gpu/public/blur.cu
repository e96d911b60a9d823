struct pixel { unsigned char colors[3]; };

extern "C" __global__ void blur(const pixel* __restrict__ image, pixel* __restrict__ out, int width, int height, const float* __restrict__ weights, int count) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < width && y < height) {
    int radius = count / 2;
    float sum[3] = {0, 0, 0};
    for (int k = 0; k < count; k++) {
      int column = min(max(x + k - radius, 0), width - 1);
      pixel p = image[y * width + column];
      for (int color = 0; color < 3; color++) sum[color] += weights[k] * p.colors[color];
    }
    pixel blurred;
    for (int color = 0; color < 3; color++) blurred.colors[color] = (unsigned char)sum[color];
    out[y * width + x] = blurred;
  }
}
