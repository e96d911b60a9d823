// CUDA's functions beyond std's, picked by the type of the operand.
#define GR_ONE(NAME, C) \
  static __device__ __forceinline__ f32 gr_##NAME(f32 a) { return C##f(a); } \
  static __device__ __forceinline__ f64 gr_##NAME(f64 a) { return C(a); }
GR_ONE(rsqrt, rsqrt)
GR_ONE(rcbrt, rcbrt)
GR_ONE(exp10, exp10)
GR_ONE(sin_pi, sinpi)
GR_ONE(cos_pi, cospi)
GR_ONE(erf, erf)
GR_ONE(erfc, erfc)
GR_ONE(erfcx, erfcx)
GR_ONE(erfinv, erfinv)
GR_ONE(erfcinv, erfcinv)
GR_ONE(norm_cdf, normcdf)
GR_ONE(norm_cdf_inv, normcdfinv)
GR_ONE(tgamma, tgamma)
GR_ONE(lgamma, lgamma)
GR_ONE(bessel_j0, j0)
GR_ONE(bessel_j1, j1)
GR_ONE(bessel_y0, y0)
GR_ONE(bessel_y1, y1)
GR_ONE(bessel_i0, cyl_bessel_i0)
GR_ONE(bessel_i1, cyl_bessel_i1)
#undef GR_ONE
static __device__ __forceinline__ f32 gr_rhypot(f32 a, f32 b) { return rhypotf(a, b); }
static __device__ __forceinline__ f64 gr_rhypot(f64 a, f64 b) { return rhypot(a, b); }
static __device__ __forceinline__ f32 gr_hypot3(f32 a, f32 b, f32 c) { return norm3df(a, b, c); }
static __device__ __forceinline__ f64 gr_hypot3(f64 a, f64 b, f64 c) { return norm3d(a, b, c); }
static __device__ __forceinline__ f32 gr_hypot4(f32 a, f32 b, f32 c, f32 d) { return norm4df(a, b, c, d); }
static __device__ __forceinline__ f64 gr_hypot4(f64 a, f64 b, f64 c, f64 d) { return norm4d(a, b, c, d); }
static __device__ __forceinline__ f32 gr_rhypot3(f32 a, f32 b, f32 c) { return rnorm3df(a, b, c); }
static __device__ __forceinline__ f64 gr_rhypot3(f64 a, f64 b, f64 c) { return rnorm3d(a, b, c); }
static __device__ __forceinline__ f32 gr_rhypot4(f32 a, f32 b, f32 c, f32 d) { return rnorm4df(a, b, c, d); }
static __device__ __forceinline__ f64 gr_rhypot4(f64 a, f64 b, f64 c, f64 d) { return rnorm4d(a, b, c, d); }
static __device__ __forceinline__ gr_tuple2<f32, f32> gr_sin_cos_pi(f32 a) {
  gr_tuple2<f32, f32> result;
  sincospif(a, &result._0, &result._1);
  return result;
}
static __device__ __forceinline__ gr_tuple2<f64, f64> gr_sin_cos_pi(f64 a) {
  gr_tuple2<f64, f64> result;
  sincospi(a, &result._0, &result._1);
  return result;
}
// CUDA gives NaN for negative orders. Of a negative order, the function is that of the positive one, with the sign of (-1)^n.
#define GR_ORDER(NAME, C, T) \
  static __device__ __forceinline__ T gr_##NAME(T a, i32 n) { \
    const u32 order = n < 0 ? 0u - (u32)n : (u32)n; \
    const T value = C((i32)(order > 0x7fffffffu ? 0x7fffffffu : order), a); \
    return n < 0 && (n & 1) ? -value : value; \
  }
GR_ORDER(bessel_jn, jnf, f32)
GR_ORDER(bessel_jn, jn, f64)
GR_ORDER(bessel_yn, ynf, f32)
GR_ORDER(bessel_yn, yn, f64)
#undef GR_ORDER
