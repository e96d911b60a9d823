// Methods of Rust's floats that CUDA does not have under another name.
template <class T> static __device__ __forceinline__ bool gr_is_nan(T a) { return a != a; }
static __device__ __forceinline__ bool gr_is_infinite(f32 a) { return (__float_as_uint(a) & 0x7fffffffu) == 0x7f800000u; }
static __device__ __forceinline__ bool gr_is_infinite(f64 a) { return ((u64)__double_as_longlong(a) & 0x7fffffffffffffffull) == 0x7ff0000000000000ull; }
static __device__ __forceinline__ bool gr_is_finite(f32 a) { return (__float_as_uint(a) & 0x7f800000u) != 0x7f800000u; }
static __device__ __forceinline__ bool gr_is_finite(f64 a) { return ((u64)__double_as_longlong(a) & 0x7ff0000000000000ull) != 0x7ff0000000000000ull; }
static __device__ __forceinline__ bool gr_is_sign_negative(f32 a) { return (__float_as_uint(a) >> 31) != 0; }
static __device__ __forceinline__ bool gr_is_sign_negative(f64 a) { return ((u64)__double_as_longlong(a) >> 63) != 0; }
template <class T> static __device__ __forceinline__ bool gr_is_sign_positive(T a) { return !gr_is_sign_negative(a); }
static __device__ __forceinline__ f32 gr_signum(f32 a) { return a != a ? a : copysignf(1.0f, a); }
static __device__ __forceinline__ f64 gr_signum(f64 a) { return a != a ? a : copysign(1.0, a); }
static __device__ __forceinline__ f32 gr_fract(f32 a) { return a - truncf(a); }
static __device__ __forceinline__ f64 gr_fract(f64 a) { return a - trunc(a); }
static __device__ __forceinline__ f32 gr_log(f32 a, f32 base) { return logf(a) / logf(base); }
static __device__ __forceinline__ f64 gr_log(f64 a, f64 base) { return log(a) / log(base); }
// Repeated multiplication, in the order of LLVM's powi.
template <class T> static __device__ T gr_powi(T base, i32 exponent) {
  const bool inverse = exponent < 0;
  T result = 1;
  while (true) {
    if (exponent & 1) result *= base;
    exponent /= 2;
    if (exponent == 0) break;
    base *= base;
  }
  return inverse ? 1 / result : result;
}
static __device__ __forceinline__ f32 gr_div_euclid(f32 a, f32 b) {
  const f32 quotient = truncf(a / b);
  return fmodf(a, b) < 0.0f ? (b > 0.0f ? quotient - 1.0f : quotient + 1.0f) : quotient;
}
static __device__ __forceinline__ f64 gr_div_euclid(f64 a, f64 b) {
  const f64 quotient = trunc(a / b);
  return fmod(a, b) < 0.0 ? (b > 0.0 ? quotient - 1.0 : quotient + 1.0) : quotient;
}
static __device__ __forceinline__ f32 gr_rem_euclid(f32 a, f32 b) {
  const f32 remainder = fmodf(a, b);
  return remainder < 0.0f ? remainder + fabsf(b) : remainder;
}
static __device__ __forceinline__ f64 gr_rem_euclid(f64 a, f64 b) {
  const f64 remainder = fmod(a, b);
  return remainder < 0.0 ? remainder + fabs(b) : remainder;
}
static __device__ __forceinline__ gr_tuple2<f64, f64> gr_sin_cos(f64 a) {
  gr_tuple2<f64, f64> result;
  sincos(a, &result._0, &result._1);
  return result;
}
// The neighbours of a float: one more or less in its bits, which are those of its size and a sign.
static __device__ __forceinline__ f32 gr_next_up(f32 a) {
  const u32 bits = __float_as_uint(a);
  if (a != a || bits == 0x7f800000u) return a;
  if (a == 0.0f) return __uint_as_float(1u);
  return __uint_as_float(bits >> 31 ? bits - 1 : bits + 1);
}
static __device__ __forceinline__ f64 gr_next_up(f64 a) {
  const u64 bits = (u64)__double_as_longlong(a);
  if (a != a || bits == 0x7ff0000000000000ull) return a;
  if (a == 0.0) return __longlong_as_double(1ll);
  return __longlong_as_double((i64)(bits >> 63 ? bits - 1 : bits + 1));
}
template <class T> static __device__ __forceinline__ T gr_next_down(T a) { return -gr_next_up(-a); }
