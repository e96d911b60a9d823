// The elementary functions, picked by the type of the operands: for values of a type parameter.
#define GR_ONE(NAME, C) \
  static __device__ __forceinline__ f32 gr_##NAME(f32 a) { return C##f(a); } \
  static __device__ __forceinline__ f64 gr_##NAME(f64 a) { return C(a); }
#define GR_TWO(NAME, C) \
  static __device__ __forceinline__ f32 gr_##NAME(f32 a, f32 b) { return C##f(a, b); } \
  static __device__ __forceinline__ f64 gr_##NAME(f64 a, f64 b) { return C(a, b); }
GR_ONE(asin, asin)
GR_ONE(acos, acos)
GR_ONE(atan, atan)
GR_ONE(sinh, sinh)
GR_ONE(cosh, cosh)
GR_ONE(tanh, tanh)
GR_ONE(asinh, asinh)
GR_ONE(acosh, acosh)
GR_ONE(atanh, atanh)
GR_ONE(exp, exp)
GR_ONE(exp2, exp2)
GR_ONE(log2, log2)
GR_ONE(log10, log10)
GR_ONE(sqrt, sqrt)
GR_ONE(cbrt, cbrt)
GR_ONE(floor, floor)
GR_ONE(ceil, ceil)
GR_ONE(round, round)
GR_ONE(trunc, trunc)
GR_ONE(exp_m1, expm1)
GR_ONE(ln, log)
GR_ONE(ln_1p, log1p)
GR_ONE(round_ties_even, rint)
GR_TWO(atan2, atan2)
GR_TWO(hypot, hypot)
GR_TWO(powf, pow)
GR_TWO(copysign, copysign)
#undef GR_ONE
#undef GR_TWO
static __device__ __forceinline__ f32 gr_mul_add(f32 a, f32 b, f32 c) { return fmaf(a, b, c); }
static __device__ __forceinline__ f64 gr_mul_add(f64 a, f64 b, f64 c) { return fma(a, b, c); }
static __device__ __forceinline__ f32 gr_recip(f32 a) { return 1.0f / a; }
static __device__ __forceinline__ f64 gr_recip(f64 a) { return 1.0 / a; }
static __device__ __forceinline__ f32 gr_to_degrees(f32 a) { return a * 57.29578f; }
static __device__ __forceinline__ f64 gr_to_degrees(f64 a) { return a * (180.0 / 3.141592653589793); }
static __device__ __forceinline__ f32 gr_to_radians(f32 a) { return a * 0.017453292f; }
static __device__ __forceinline__ f64 gr_to_radians(f64 a) { return a * (3.141592653589793 / 180.0); }
