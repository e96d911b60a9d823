#define DIRECTIONS 32
#define TWO_POW_M32 2.3283064365386963e-10f

extern "C" __global__ void sobol(unsigned vectors, const unsigned* __restrict__ directions, float* __restrict__ output) {
  __shared__ unsigned v[DIRECTIONS];
  directions += DIRECTIONS * blockIdx.y;
  output += vectors * blockIdx.y;
  if (threadIdx.x < DIRECTIONS) v[threadIdx.x] = directions[threadIdx.x];
  __syncthreads();
  int first = blockIdx.x * blockDim.x + threadIdx.x;
  int stride = gridDim.x * blockDim.x;
  unsigned gray = first ^ (first >> 1);
  unsigned x = 0;
  for (unsigned k = 0; k < __ffs(stride) - 1; k++) {
    if (gray & 1) x ^= v[k];
    gray >>= 1;
  }
  if (first < vectors) output[first] = x * TWO_POW_M32;
  unsigned last_bit = v[__ffs(stride) - 2];
  for (unsigned i = first + stride; i < vectors; i += stride) {
    x ^= last_bit ^ v[__ffs(~((i - stride) | (stride - 1))) - 1];
    output[i] = x * TWO_POW_M32;
  }
}
