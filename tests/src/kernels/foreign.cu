// Two device functions of the conformance kernels, as a user would keep them.

__device__ unsigned long long shifted(unsigned long long x) { return x ^ x >> 33; }

__device__ unsigned long long mixed(unsigned long long x, unsigned rounds) {
  for (unsigned i = 0; i < rounds; i++) x = shifted(x) * 0xff51afd7ed558ccdull;
  return x;
}

__device__ unsigned long long rotated(unsigned long long x) { return x << 13 | x >> 51; }
