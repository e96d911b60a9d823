#define SIZE 256

extern "C" __global__ void __launch_bounds__(SIZE)
solve(const float* __restrict__ lower, const float* __restrict__ diagonal, const float* __restrict__ upper,
      const float* __restrict__ right, float* __restrict__ x) {
  __shared__ float a[SIZE], b[SIZE], c[SIZE], d[SIZE];
  int t = threadIdx.x, at = blockIdx.x * SIZE + t;
  a[t] = lower[at];
  b[t] = diagonal[at];
  c[t] = upper[at];
  d[t] = right[at];
  __syncthreads();
  for (int stride = 1; stride < SIZE; stride *= 2) {
    int left = t >= stride ? t - stride : 0, next = t + stride < SIZE ? t + stride : SIZE - 1;
    float k1 = a[t] / b[left], k2 = c[t] / b[next];
    float new_a = -a[left] * k1, new_b = b[t] - c[left] * k1 - a[next] * k2;
    float new_c = -c[next] * k2, new_d = d[t] - d[left] * k1 - d[next] * k2;
    __syncthreads();
    a[t] = new_a;
    b[t] = new_b;
    c[t] = new_c;
    d[t] = new_d;
    __syncthreads();
  }
  x[at] = d[t] / b[t];
}
