#define SIZE 1024
#define THREADS (SIZE / 2)

extern "C" __global__ void __launch_bounds__(THREADS) sort(unsigned* __restrict__ keys) {
  __shared__ unsigned part[SIZE];
  int t = threadIdx.x, first = blockIdx.x * SIZE;
  part[t] = keys[first + t];
  part[t + THREADS] = keys[first + t + THREADS];
  for (int size = 2; size <= SIZE; size <<= 1) {
    bool ascending = (t & (size / 2)) == 0;
    for (int stride = size / 2; stride > 0; stride >>= 1) {
      __syncthreads();
      int low = 2 * t - (t & (stride - 1));
      unsigned a = part[low], b = part[low + stride];
      if ((a > b) == ascending) {
        part[low] = b;
        part[low + stride] = a;
      }
    }
  }
  __syncthreads();
  keys[first + t] = part[t];
  keys[first + t + THREADS] = part[t + THREADS];
}
