static __device__ f32 looked_up(const u32* keys, usize keys_len, const f32* table, usize table_len, usize i) {
  if (i >= keys_len) gr_panic(0, i, keys_len);
  const usize key = (usize)keys[i];
  f32 value;
  if (key < table_len) {
    value = table[key];
  } else {
    value = 0.0f;
  }
  return value;
}

static __device__ f32 looked_up_twice_racing(const u32* keys, usize keys_len, const f32* table, usize table_len, usize i) {
  const f32 value = looked_up_racing(keys, keys_len, table, table_len, i);
  if (1ull > keys_len) gr_panic(0, 0, 0);
  const f32 value_2 = looked_up_racing(keys + 1ull, keys_len - 1ull, table, table_len, i / 2ull);
  return value + value_2;
}

static __device__ f32 looked_up_racing(const u32* keys, usize keys_len, const f32* table, usize table_len, usize i) {
  if (i >= keys_len) gr_panic(0, i, keys_len);
  const usize key = (usize)gr_racing(keys[i]);
  f32 value;
  if (key < table_len) {
    value = gr_racing(table[key]);
  } else {
    value = 0.0f;
  }
  return value;
}

extern "C" __global__ void __launch_bounds__(64) racing_array_of_functions(const u32* __restrict__ x, usize x_len, const f32* __restrict__ table, usize table_len, f32* out, usize out_len) {
  gr_wait_for_previous();
  __builtin_assume(threadIdx.x < 64);
  alignas(16) __shared__ gr_array<u32, 64> keys;
  gr_any_bytes(keys);
  const usize t = (usize)threadIdx.x;
  const usize i = (usize)blockIdx.x * (usize)64 + threadIdx.x;
  if (i >= x_len) {
    return;
  }
  gr_racing(keys[(usize)x[i] % 64ull]) = x[i];
  const f32 value = looked_up(x, x_len, table, table_len, i);
  const f32 value_2 = looked_up_twice_racing(keys.data, 64, table, table_len, t);
  if (i >= out_len) gr_panic(4, i, out_len); // unless proved
  out[i] = value + value_2;
}
