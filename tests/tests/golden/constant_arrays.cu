static __device__ f32 weight(usize i) {
  static __constant__ const gr_array<f32, 3> WEIGHTS = {{0.25f, 0.5f, 0.25f}};
  const usize divisor = WEIGHTS.length;
  if (divisor == 0) gr_panic(0, 0, 0);
  return WEIGHTS[i % divisor];
}

extern "C" __global__ void constant_arrays(const f32* __restrict__ x, usize x_len, f32* out, usize out_len) {
  gr_wait_for_previous();
  static __constant__ const gr_array<f32, 3> WEIGHTS = {{0.25f, 0.5f, 0.25f}};
  static __constant__ const gr_array<gr_array<i8, 2>, 2> PAIRS = {{{{(i8)1, (i8)(-2)}}, {{(i8)3, (i8)4}}}};
  const usize i = (usize)blockIdx.x * blockDim.x + threadIdx.x;
  if (i < x_len && i < out_len) {
    f32 sum = weight(i);
    const usize end = WEIGHTS.length;
    for (usize k = 0ull; k < end; k++) {
      const f32 value = WEIGHTS[k];
      sum += x[i] * value;
    }
    const usize index = i % 2ull;
    if (index >= PAIRS.length) gr_panic(3, index, PAIRS.length);
    const gr_array<i8, 2> pair = PAIRS[index];
    if (1ull >= WEIGHTS.length) gr_panic(4, 1ull, WEIGHTS.length);
    const f32 value_2 = WEIGHTS[1ull];
    if (0ull >= pair.length) gr_panic(5, 0ull, pair.length);
    const i8 value_3 = pair[0ull];
    if (1ull >= PAIRS.length) gr_panic(6, 1ull, PAIRS.length);
    auto&& element = PAIRS[1ull];
    const usize index_2 = i % 2ull;
    if (index_2 >= element.length) gr_panic(8, index_2, element.length);
    const i8 value_4 = element[index_2];
    out[i] = sum * value_2 + gr_cast<f32>(gr_wrapping_add(value_3, value_4));
  }
}
