// One value from those of all threads of a warp. `lanes` has the bits of those that take part.

// A full warp combines the values 16 lanes apart, then 8, 4, 2 and 1: every thread gets the same bits, as a + b is b + a. Where threads
// are missing, the values are combined from the lowest lane to the highest.
template <class T, class F> static __device__ __forceinline__ T gr_warp_fold(T value, u32 lanes, F combine) {
  const u32 present = __ballot_sync(lanes, true);
  if (present == 0xffffffffu) {
#pragma unroll
    for (int distance = 16; distance > 0; distance /= 2) value = combine(value, (T)__shfl_xor_sync(lanes, value, distance));
    return value;
  }
  T result = (T)__shfl_sync(lanes, value, __ffs((int)present) - 1);
  for (u32 rest = present & (present - 1); rest != 0; rest &= rest - 1) {
    result = combine(result, (T)__shfl_sync(lanes, value, __ffs((int)rest) - 1));
  }
  return result;
}

#if __CUDA_ARCH__ >= 800
// Integers of up to 32 bits have an instruction for it.
#define GR_WARP_REDUCE(NAME, OF_LANES, COMBINE)                                                            \
  template <class T> static __device__ __forceinline__ T NAME(T value, u32 lanes = 0xffffffffu) {          \
    if constexpr (gr_wide<T>::is_float || sizeof(T) > 4) return gr_warp_fold(value, lanes, COMBINE);       \
    else if constexpr (gr_wide<T>::is_signed) return (T)OF_LANES(lanes, (int)value);                       \
    else return (T)OF_LANES(lanes, (u32)value);                                                            \
  }
#define GR_WARP_BITS(NAME, OF_LANES, COMBINE)                                                              \
  template <class T> static __device__ __forceinline__ T NAME(T value, u32 lanes = 0xffffffffu) {          \
    if constexpr (sizeof(T) > 4) {                                                                         \
      const u64 bits = (u64)value;                                                                         \
      return (T)((u64)OF_LANES(lanes, (u32)(bits >> 32)) << 32 | OF_LANES(lanes, (u32)bits));              \
    } else return (T)OF_LANES(lanes, (u32)value);                                                          \
  }
#else
#define GR_WARP_REDUCE(NAME, OF_LANES, COMBINE)                                                            \
  template <class T> static __device__ __forceinline__ T NAME(T value, u32 lanes = 0xffffffffu) {          \
    return gr_warp_fold(value, lanes, COMBINE);                                                            \
  }
#define GR_WARP_BITS(NAME, OF_LANES, COMBINE) GR_WARP_REDUCE(NAME, OF_LANES, COMBINE)
#endif

// Never contracted with a product, which would round differently in each thread.
static __device__ __forceinline__ f32 gr_warp_plus(f32 a, f32 b) { return __fadd_rn(a, b); }
static __device__ __forceinline__ f64 gr_warp_plus(f64 a, f64 b) { return __dadd_rn(a, b); }
template <class T> static __device__ __forceinline__ T gr_warp_plus(T a, T b) { return gr_wrapping_add(a, b); }
GR_WARP_REDUCE(gr_warp_sum, __reduce_add_sync, ([](T a, T b) { return gr_warp_plus(a, b); }))
GR_WARP_REDUCE(gr_warp_min, __reduce_min_sync, ([](T a, T b) { return gr_min(a, b); }))
GR_WARP_REDUCE(gr_warp_max, __reduce_max_sync, ([](T a, T b) { return gr_max(a, b); }))
GR_WARP_BITS(gr_warp_and, __reduce_and_sync, ([](T a, T b) { return gr_bit_and(a, b); }))
GR_WARP_BITS(gr_warp_or, __reduce_or_sync, ([](T a, T b) { return gr_bit_or(a, b); }))
GR_WARP_BITS(gr_warp_xor, __reduce_xor_sync, ([](T a, T b) { return gr_bit_xor(a, b); }))
#undef GR_WARP_REDUCE
#undef GR_WARP_BITS
