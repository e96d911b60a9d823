// `as` from a float to an integer: saturates, and NaN becomes 0. Every other cast is C's.
template <class T> struct gr_limits;
#define GR_LIMITS(T, MIN, MAX) template <> struct gr_limits<T> { static __device__ T lowest() { return MIN; } static __device__ T highest() { return MAX; } };
GR_LIMITS(i8, -128, 127)
GR_LIMITS(u8, 0, 255)
GR_LIMITS(i16, -32768, 32767)
GR_LIMITS(u16, 0, 65535)
GR_LIMITS(i32, -2147483647 - 1, 2147483647)
GR_LIMITS(u32, 0u, 4294967295u)
GR_LIMITS(i64, -9223372036854775807ll - 1, 9223372036854775807ll)
GR_LIMITS(u64, 0ull, 18446744073709551615ull)
#undef GR_LIMITS
template <class T> struct gr_is_float { static const bool value = false; };
template <> struct gr_is_float<f32> { static const bool value = true; };
template <> struct gr_is_float<f64> { static const bool value = true; };
// Whether the integer is one of the type T too: the same after a conversion back, with the same sign.
template <class T> static __device__ __forceinline__ bool gr_has_sign(T a) { return gr_limits<T>::lowest() != 0 && (a >> (sizeof(T) * 8 - 1)) & 1; }
template <class T, class F> static __device__ __forceinline__ bool gr_fits(F a) { return (F)(T)a == a && gr_has_sign((T)a) == gr_has_sign(a); }
#ifdef __CUDACC_RTC__
// The GPU's conversion to at least 32 bits saturates too, without a branch. It makes 0 of NaN only from f32 to 32 bits. As assembly, the compiler
// folds none that C leaves undefined.
#define GR_CONVERT(T, F, TYPES, TO, OF) static __device__ __forceinline__ T gr_convert(F a, T) { T to; asm("cvt.rzi." TYPES " %0, %1;" : "=" TO(to) : OF(a)); return to; }
GR_CONVERT(i32, f32, "s32.f32", "r", "f")
GR_CONVERT(u32, f32, "u32.f32", "r", "f")
GR_CONVERT(i64, f32, "s64.f32", "l", "f")
GR_CONVERT(u64, f32, "u64.f32", "l", "f")
GR_CONVERT(i32, f64, "s32.f64", "r", "d")
GR_CONVERT(u32, f64, "u32.f64", "r", "d")
GR_CONVERT(i64, f64, "s64.f64", "l", "d")
GR_CONVERT(u64, f64, "u64.f64", "l", "d")
#undef GR_CONVERT
template <class T, class F> static __device__ __forceinline__ T gr_saturate(F a) {
  if constexpr (sizeof(T) == 4 && sizeof(F) == 4) {
    return gr_convert(a, (T)0);
  } else if constexpr (sizeof(T) >= 4) {
    return a != a ? (T)0 : gr_convert(a, (T)0);
  } else if constexpr ((T)-1 < (T)0) {
    const i32 wide = gr_saturate<i32>(a);
    return wide < gr_limits<T>::lowest() ? gr_limits<T>::lowest() : wide > gr_limits<T>::highest() ? gr_limits<T>::highest() : (T)wide;
  } else {
    const u32 wide = gr_saturate<u32>(a);
    return wide > gr_limits<T>::highest() ? gr_limits<T>::highest() : (T)wide;
  }
}
#else
template <class T, class F> static __device__ __forceinline__ T gr_saturate(F a) {
  if (a != a) return (T)0;
  // The limits as floats: the upper one rounds up to a power of two where F has fewer digits than T.
  if (a <= (F)gr_limits<T>::lowest()) return gr_limits<T>::lowest();
  if (a >= (F)gr_limits<T>::highest()) return gr_limits<T>::highest();
  return (T)a;
}
#endif
template <class T, class F> static __device__ __forceinline__ T gr_cast(F a) {
  if constexpr (gr_is_float<F>::value && !gr_is_float<T>::value) return gr_saturate<T>(a);
  else return (T)a;
}
