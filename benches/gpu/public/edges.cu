extern "C" __global__ void sobel(const unsigned char* __restrict__ image, unsigned char* __restrict__ out, int width, int height) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height) return;
  int gx = 0, gy = 0;
  for (int dy = -1; dy <= 1; dy++) {
    for (int dx = -1; dx <= 1; dx++) {
      int cx = min(max(x + dx, 0), width - 1), cy = min(max(y + dy, 0), height - 1);
      int value = image[cy * width + cx];
      gx += value * dx * (2 - dy * dy);
      gy += value * dy * (2 - dx * dx);
    }
  }
  float magnitude = sqrtf((float)(gx * gx + gy * gy));
  out[y * width + x] = (unsigned char)fminf(magnitude, 255.0f);
}
