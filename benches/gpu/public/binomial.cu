#define STEPS 512
#define THREADS 256

extern "C" __global__ void __launch_bounds__(THREADS)
price(const float (*__restrict__ options)[3], float* __restrict__ prices, float up, float down) {
  __shared__ float values[STEPS + 1];
  int t = threadIdx.x;
  float share = options[blockIdx.x][0], strike = options[blockIdx.x][1], step = options[blockIdx.x][2];
  for (int i = t; i < STEPS + 1; i += THREADS) values[i] = fmaxf(share * expf(step * (2.0f * i - STEPS)) - strike, 0.0f);
  for (int level = STEPS - 1; level >= 0; level--) {
    __syncthreads();
    float first = up * values[t + 1] + down * values[t];
    float second = t + THREADS <= level ? up * values[t + THREADS + 1] + down * values[t + THREADS] : 0.0f;
    __syncthreads();
    if (t <= level) values[t] = first;
    if (t + THREADS <= level) values[t + THREADS] = second;
  }
  if (t == 0) prices[blockIdx.x] = values[0];
}
