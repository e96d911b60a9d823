extern "C" __global__ void short_circuit(const i32* __restrict__ a, usize a_len, usize k, i32* __restrict__ out, usize out_len) {
  gr_wait_for_previous();
  const usize i = (usize)blockIdx.x * blockDim.x + threadIdx.x;
  if (i < out_len) {
    bool condition = k < a_len && a[k] > 0;
    if (!condition) {
      if (i >= a_len) gr_panic(1, i, a_len); // unless proved
      const i32 value = a[i];
      const i32 divisor = a[0ull];
      if (divisor == 0) gr_panic(3, 0, 0);
      if (gr_division_overflows(value, divisor)) gr_panic(3, 1, 0);
      condition = value / divisor == 2;
    }
    if (condition) {
      out[i] = 1;
    }
    bool condition_2 = i > 0ull;
    if (condition_2) {
      const usize index = i - 1ull;
      if (index >= a_len) gr_panic(5, index, a_len); // unless proved
      if (i >= a_len) gr_panic(6, i, a_len); // unless proved
      condition_2 = a[index] == a[i];
    }
    const bool both = condition_2;
    const bool plain = i > 2ull && k > 3ull;
    if (both != plain) {
      out[i] = 2;
    }
  }
}
