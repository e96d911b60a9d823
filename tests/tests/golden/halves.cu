static __device__ __forceinline__ f32 half_to_f32(gr_f16 value) {
  return (f32)value;
}

static __device__ __forceinline__ f32 half_to_f32(gr_bf16 value) {
  return (f32)value;
}

static __device__ __forceinline__ gr_f16 half_from_f32(f32 value) {
  return gr_f16(value);
}

static __device__ __forceinline__ f64 half_to_f64(gr_bf16 value) {
  return (f64)value;
}

static __device__ __forceinline__ gr_f16 half_from_f64(f64 value) {
  return gr_f16(value);
}

static __device__ __forceinline__ u16 float_to_bits(gr_f16 value) {
  return value.bits;
}

static __device__ __forceinline__ u16 float_to_bits(gr_bf16 value) {
  return value.bits;
}

extern "C" __global__ void halves(const gr_f16* __restrict__ x, usize x_len, gr_bf16 by, const Weighted* __restrict__ pairs, usize pairs_len, gr_f16* out, usize out_len, gr_f16* sums, usize sums_len, u16* bits, usize bits_len) {
  gr_wait_for_previous();
  const usize i = (usize)blockIdx.x * blockDim.x + threadIdx.x;
  if (i < out_len && i < x_len && i < bits_len) {
    const decltype(gr_output(half_to_f32)) value = half_to_f32(x[i]);
    const decltype(gr_output(half_to_f32)) value_2 = half_to_f32(by);
    const gr_f16 scaled = half_from_f32(gr_wrapping_mul(value, value_2));
    out[i] = gr_min(gr_sqrt(gr_wrapping_sub(gr_wrapping_mul(x[i], scaled), gr_f16::of(0x3c00 /* 1.0 */))), gr_f16::of(0x3800 /* 0.5 */));
    if (i >= pairs_len) gr_panic(4, i, pairs_len); // unless proved
    out[i] = gr_wrapping_add(out[i], pairs[i].weight);
    const decltype(gr_output(half_to_f64)) value_3 = half_to_f64(pairs[i].value);
    const gr_f16 value_4 = half_from_f64(gr_wrapping_mul(value_3, (f64)3.0));
    const gr_f16 value_5 = out[i];
    if (gr_is_zero_divisor(value_4)) gr_panic(7, 0, 0);
    if (gr_division_overflows(value_5, value_4)) gr_panic(7, 1, 0);
    out[i] = gr_divide(value_5, value_4);
    const decltype(gr_output(float_to_bits)) value_6 = float_to_bits(out[i]);
    gr_bf16 value_7 = gr_cast<gr_bf16>(i);
    const decltype(gr_output(float_to_bits)) value_8 = float_to_bits(value_7);
    bits[i] = gr_wrapping_add(value_6, value_8);
    const usize value_9 = 0ull;
    if (value_9 >= sums_len) gr_panic(10, value_9, sums_len); // unless proved
    const gr_f16 value_10 = gr_warp_sum(x[i]);
    gr_atomic_add(&sums[value_9], value_10);
  }
}
