extern "C" __global__ void separate(const float* __restrict__ x, float* __restrict__ out, size_t n) {
  size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
  if (i < n) {
    float c = cosf(x[i]), s = sinf(x[i]);
    out[i] = c * c + s * s;
  }
}

extern "C" __global__ void together(const float* __restrict__ x, float* __restrict__ out, size_t n) {
  size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
  if (i < n) {
    float s, c;
    sincosf(x[i], &s, &c);
    out[i] = c * c + s * s;
  }
}
