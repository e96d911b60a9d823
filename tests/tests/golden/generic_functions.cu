static __device__ gr_tuple2<u32, f32> largest(const u32* values, usize values_len, u32 start) {
  u32 best = start;
  for (usize k = 0ull; k < values_len; k++) {
    const u32 value = values[k];
    if (gr_is_zero_divisor(start)) gr_panic(1, 0, 0);
    if (gr_division_overflows(value, start)) gr_panic(1, 1, 0);
    best = gr_max(best, gr_remainder(value, start));
  }
  return gr_tuple2<u32, f32>{best, gr_wrapping_mul(gr_cast<f32>(best), 3.1415927f)};
}

static __device__ f32 smoothstep(f32 low, f32 high, f32 x) {
  if (!(0.0f <= 1.0f)) gr_panic(1, 0, 0);
  const f32 t = gr_clamp(gr_divide(gr_wrapping_sub(x, low), gr_wrapping_sub(high, low)), 0.0f, 1.0f);
  return gr_wrapping_add(gr_wrapping_mul(gr_wrapping_mul(t, t), gr_wrapping_sub(3.0f, gr_wrapping_mul(2.0f, t))), gr_abs(gr_exp(t)));
}

static __device__ f64 smoothstep(f64 low, f64 high, f64 x) {
  if (!(0.0 <= 1.0)) gr_panic(1, 0, 0);
  const f64 t = gr_clamp(gr_divide(gr_wrapping_sub(x, low), gr_wrapping_sub(high, low)), 0.0, 1.0);
  return gr_wrapping_add(gr_wrapping_mul(gr_wrapping_mul(t, t), gr_wrapping_sub(3.0, gr_wrapping_mul(2.0, t))), gr_abs(gr_exp(t)));
}

static __device__ u32 hashed(u32 x) {
  u32 hash = gr_bit_xor(gr_cast<u32>((-1)), x);
  hash = gr_wrapping_add(hash, gr_wrapping_shl(hash, (u32)3));
  const u32 value = gr_wrapping_mul(gr_wrapping_shr(hash, (u32)2), gr_rotate_left(x, 5u));
  if (gr_is_zero_divisor(7u)) gr_panic(0, 0, 0);
  if (gr_division_overflows(value, 7u)) gr_panic(0, 1, 0);
  return gr_divide(value, 7u);
}

static __device__ u8 hashed(u8 x) {
  u8 hash = gr_bit_xor(gr_cast<u8>((-1)), x);
  hash = gr_wrapping_add(hash, gr_wrapping_shl(hash, (u32)3));
  const u8 value = gr_wrapping_mul(gr_wrapping_shr(hash, (u32)2), gr_rotate_left(x, 5u));
  if (gr_is_zero_divisor((u8)7)) gr_panic(0, 0, 0);
  if (gr_division_overflows(value, (u8)7)) gr_panic(0, 1, 0);
  return gr_divide(value, (u8)7);
}

extern "C" __global__ void generic_functions(const f32* __restrict__ x, usize x_len, const u32* __restrict__ keys, usize keys_len, const f64* __restrict__ precise, usize precise_len, f64* out, usize out_len, u32* hashes, usize hashes_len) {
  gr_wait_for_previous();
  const usize i = (usize)blockIdx.x * blockDim.x + threadIdx.x;
  if (i < out_len) {
    const gr_tuple2<u32, f32> value = largest(keys, keys_len, 4);
    const u32 most = value._0;
    const f32 scaled = value._1;
    if (i >= x_len) gr_panic(0, i, x_len); // unless proved
    const f32 step = smoothstep(0.0, scaled, x[i]);
    if (i >= precise_len) gr_panic(1, i, precise_len); // unless proved
    const f64 value_2 = smoothstep((f64)step, precise[i], 1.0);
    out[i] = value_2 + (f64)most;
    if (i >= keys_len) gr_panic(3, i, keys_len); // unless proved
    const u32 value_3 = hashed(keys[i]);
    const auto value_4 = hashed((u8)keys[i]);
    if (i >= hashes_len) gr_panic(5, i, hashes_len); // unless proved
    hashes[i] = value_3 + gr_cast<u32>(value_4);
  }
}
