template <class gr_f0> static __device__ f32 midpoint_rule(gr_f0 f, f32 from, f32 to, u32 steps) {
  const f32 h = (to - from) / (f32)steps;
  f32 sum = 0.0f;
  for (u32 i = 0u; i < steps; i++) {
    const f32 value = f(from + ((f32)i + 0.5f) * h);
    sum += value;
  }
  return sum * h;
}

static __device__ f32 parabola(f32 x) {
  return x * x;
}

extern "C" __global__ void closures(const f32* __restrict__ x, usize x_len, f32 c, f32* out, usize out_len) {
  gr_wait_for_previous();
  const auto at = [&](const usize k) -> f32 {
    if (k >= x_len) gr_panic(0, k, x_len); // unless proved
    return x[k];
  };
  const usize i = (usize)blockIdx.x * blockDim.x + threadIdx.x;
  if (i < out_len) {
    const auto limited = [=](const f32 v) -> f32 {
      return v > c ? c : v;
    };
    const f32 value = at(i);
    const f32 value_2 = midpoint_rule(gr_function<parabola>{}, 0.0, value, 10);
    const auto closure = [&](const f32 t) -> f32 {
      const f32 value_3 = limited(t);
      const f32 value_4 = at(0ull);
      return value_3 * value_4;
    };
    const f32 value_5 = midpoint_rule(closure, 0.0, 1.0, 10);
    out[i] = value_2 + value_5;
  }
}
