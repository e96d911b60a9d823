static __device__ Polynomial Polynomial_add(Polynomial self, Polynomial other) {
  Polynomial value;
  value.constant = self.constant + other.constant;
  value.linear = self.linear + other.linear;
  return value;
}

static __device__ Polynomial Polynomial_mul(Polynomial self, f32 by) {
  Polynomial value;
  value.constant = self.constant * by;
  value.linear = self.linear * by;
  return value;
}

extern "C" __global__ void own_operators(const Polynomial* __restrict__ x, usize x_len, f32 k, Polynomial* __restrict__ out, usize out_len) {
  gr_wait_for_previous();
  const usize i = (usize)blockIdx.x * blockDim.x + threadIdx.x;
  if (i < out_len) {
    if (i >= x_len) gr_panic(0, i, x_len); // unless proved
    Polynomial sum = Polynomial_add(Polynomial_mul(x[i], gr_float<f32>(0.1f, 0.1)), x[0ull]);
    sum = Polynomial_add(sum, Polynomial_mul(sum, k));
    out[i] = sum;
  }
}
