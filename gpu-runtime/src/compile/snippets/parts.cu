// What is exact in the bits of a float.
template <class T> static __device__ __forceinline__ T gr_next_after(T a, T towards) {
  if (a != a || towards != towards) return a + towards;
  if (a == towards) return towards;
  return a < towards ? gr_next_up(a) : gr_next_down(a);
}
static __device__ __forceinline__ f32 gr_ieee_remainder(f32 a, f32 b) { return remainderf(a, b); }
static __device__ __forceinline__ f64 gr_ieee_remainder(f64 a, f64 b) { return remainder(a, b); }
static __device__ __forceinline__ f32 gr_fdim(f32 a, f32 b) { return fdimf(a, b); }
static __device__ __forceinline__ f64 gr_fdim(f64 a, f64 b) { return fdim(a, b); }
static __device__ __forceinline__ f32 gr_ldexp(f32 a, i32 exponent) { return ldexpf(a, exponent); }
static __device__ __forceinline__ f64 gr_ldexp(f64 a, i32 exponent) { return ldexp(a, exponent); }
// The exponent of an infinity or of NaN is not specified in C; here it is 0.
static __device__ __forceinline__ gr_tuple2<f32, i32> gr_frexp(f32 a) {
  gr_tuple2<f32, i32> result = {a, 0};
  if (gr_is_finite(a)) result._0 = frexpf(a, &result._1);
  return result;
}
static __device__ __forceinline__ gr_tuple2<f64, i32> gr_frexp(f64 a) {
  gr_tuple2<f64, i32> result = {a, 0};
  if (gr_is_finite(a)) result._0 = frexp(a, &result._1);
  return result;
}
static __device__ __forceinline__ gr_tuple2<f32, f32> gr_modf(f32 a) {
  const f32 whole = truncf(a);
  return {copysignf(gr_is_infinite(a) ? 0.0f : a - whole, a), whole};
}
static __device__ __forceinline__ gr_tuple2<f64, f64> gr_modf(f64 a) {
  const f64 whole = trunc(a);
  return {copysign(gr_is_infinite(a) ? 0.0 : a - whole, a), whole};
}
static __device__ __forceinline__ f32 gr_logb(f32 a) { return logbf(a); }
static __device__ __forceinline__ f64 gr_logb(f64 a) { return logb(a); }
static __device__ __forceinline__ i32 gr_ilogb(f32 a) { return ilogbf(a); }
static __device__ __forceinline__ i32 gr_ilogb(f64 a) { return ilogb(a); }
// Of the quotient, C promises the sign and three bits, and nothing beside NaN.
static __device__ __forceinline__ gr_tuple2<f32, i32> gr_remquo(f32 a, f32 b) {
  i32 quotient = 0;
  const f32 rest = remquof(a, b, &quotient);
  return {rest, rest != rest ? 0 : quotient % 8};
}
static __device__ __forceinline__ gr_tuple2<f64, i32> gr_remquo(f64 a, f64 b) {
  i32 quotient = 0;
  const f64 rest = remquo(a, b, &quotient);
  return {rest, rest != rest ? 0 : quotient % 8};
}
// One instruction. Adding 0 leaves no zero with a sign.
static __device__ __forceinline__ f32 gr_saturate(f32 a) { return __saturatef(a + 0.0f); }
static __device__ __forceinline__ f64 gr_saturate(f64 a) { return a > 0.0 ? fmin(a, 1.0) : 0.0; }
