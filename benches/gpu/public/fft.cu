#define POINTS 1024
#define THREADS (POINTS / 2)

struct alignas(8) Complex { float re, im; };

extern "C" __global__ void __launch_bounds__(THREADS) transform(Complex* __restrict__ rows, const Complex* __restrict__ twiddles) {
  __shared__ Complex row[POINTS];
  int t = threadIdx.x, first = blockIdx.x * POINTS;
  row[t] = rows[first + t];
  row[t + THREADS] = rows[first + t + THREADS];
  for (int half = 1; half < POINTS; half *= 2) {
    __syncthreads();
    int k = t & (half - 1);
    Complex w = twiddles[k * (THREADS / half)], a = row[t], b = row[t + THREADS];
    b = {b.re * w.re - b.im * w.im, b.re * w.im + b.im * w.re};
    __syncthreads();
    int to = 2 * (t - k) + k;
    row[to] = {a.re + b.re, a.im + b.im};
    row[to + half] = {a.re - b.re, a.im - b.im};
  }
  __syncthreads();
  rows[first + t] = row[t];
  rows[first + t + THREADS] = row[t + THREADS];
}
