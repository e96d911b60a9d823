// Floats of 16 bits, those of the crate half. Every operation is rounded once, as it is on the CPU: +, -, *, / and the square root of
// f32 have so many digits that rounding their results again changes nothing, and where the hardware computes with 16 bits, so does it.
#ifdef __CUDACC_RTC__
#define GR_PTX2(NAME, PTX) \
  static __device__ __forceinline__ u16 NAME(u16 a, u16 b) { \
    u16 c; \
    asm(PTX " %0, %1, %2;" : "=h"(c) : "h"(a), "h"(b)); \
    return c; \
  }
#define GR_PTX3(NAME, PTX) \
  static __device__ __forceinline__ u16 NAME(u16 a, u16 b, u16 c) { \
    u16 d; \
    asm(PTX " %0, %1, %2, %3;" : "=h"(d) : "h"(a), "h"(b), "h"(c)); \
    return d; \
  }
#endif
#define GR_BY_SINGLE(NAME, OP) static __device__ __forceinline__ u16 NAME(u16 a, u16 b) { return rounded(widened(a) OP widened(b)); }

// A number to round to fewer digits, in place of one with more: towards 0, and then odd unless that was exact.
static __device__ __forceinline__ f32 gr_round_to_odd(f64 a) {
  const f32 nearest = (f32)a;
  const f64 back = (f64)nearest;
  if (back == a || a != a) return nearest;
  return __uint_as_float((__float_as_uint(nearest) - (u32)(fabs(back) > fabs(a))) | 1u);
}
// The same for a * b + c, of numbers so short that f64 has their product.
static __device__ __forceinline__ f32 gr_fuse_to_odd(f32 a, f32 b, f32 c) {
  const f64 product = (f64)a * (f64)b, summand = (f64)c;
  const f64 sum = product + summand;
  const f64 change = sum - product;
  const f64 rest = (product - (sum - change)) + (summand - change);
  i64 bits = __double_as_longlong(sum);
  if ((rest < 0.0 || rest > 0.0) && (bits & 1) == 0) bits += (rest > 0.0) == (sum > 0.0) ? 1 : -1;
  return gr_round_to_odd(__longlong_as_double(bits));
}
// The same for an integer. f64 has those below 2^53.
template <class T> static __device__ __forceinline__ f64 gr_integer_to_odd(T a) {
  if constexpr (sizeof(T) < 8) {
    return (f64)a;
  } else {
    const bool is_negative = a < (T)0;
    u64 size = is_negative ? 0ull - (u64)a : (u64)a;
    if (size >> 53) size = (size & ~0x7ffull) | ((size & 0x7ff) != 0 ? 0x800ull : 0ull);
    return is_negative ? -(f64)size : (f64)size;
  }
}

// f16: 5 bits of exponent, 10 of the fraction.
struct gr_binary16 {
  static constexpr u32 exponent_bits = 5;
  static constexpr u16 infinity = 0x7c00;
  static __device__ __forceinline__ f32 widened(u16 bits) {
#ifdef __CUDACC_RTC__
    f32 a;
    asm("cvt.f32.f16 %0, %1;" : "=f"(a) : "h"(bits));
    return a;
#else
    const u32 sign = (u32)(bits & 0x8000) << 16, size = bits & 0x7fff;
    if (size >= 0x7c00) return __uint_as_float(sign | 0x7f800000u | size << 13);
    // An f32 of the same digits whose exponent is too small by 112.
    return __uint_as_float(sign | __float_as_uint(__uint_as_float(size << 13) * 0x1p112f));
#endif
  }
  static __device__ __forceinline__ u16 rounded(f32 a) {
#ifdef __CUDACC_RTC__
    u16 bits;
    asm("cvt.rn.f16.f32 %0, %1;" : "=h"(bits) : "f"(a));
    return bits;
#else
    const u32 all = __float_as_uint(a), sign = all >> 16 & 0x8000u, size = all & 0x7fffffffu;
    if (size > 0x7f800000u) return (u16)(sign | 0x7e00u);
    if (size >= 0x477ff000u) return (u16)(sign | 0x7c00u);
    // Below 2^-14 there are steps of 2^-24, which are those of f32 from one half on.
    if (size < 0x38800000u) return (u16)(sign | (__float_as_uint(__uint_as_float(size) + 0.5f) - 0x3f000000u));
    return (u16)(sign | (size - 0x38000000u + 0xfffu + (size >> 13 & 1)) >> 13);
#endif
  }
#if defined(__CUDACC_RTC__) && __CUDA_ARCH__ >= 530
  GR_PTX2(add, "add.rn.f16")
  GR_PTX2(sub, "sub.rn.f16")
  GR_PTX2(mul, "mul.rn.f16")
  GR_PTX3(fma, "fma.rn.f16")
#else
  GR_BY_SINGLE(add, +)
  GR_BY_SINGLE(sub, -)
  GR_BY_SINGLE(mul, *)
  static __device__ __forceinline__ u16 fma(u16 a, u16 b, u16 c) { return rounded(gr_fuse_to_odd(widened(a), widened(b), widened(c))); }
#endif
};

// bf16: the upper half of an f32.
struct gr_bfloat16 {
  static constexpr u32 exponent_bits = 8;
  static constexpr u16 infinity = 0x7f80;
  static __device__ __forceinline__ f32 widened(u16 bits) { return __uint_as_float((u32)bits << 16); }
  static __device__ __forceinline__ u16 rounded(f32 a) {
#if defined(__CUDACC_RTC__) && __CUDA_ARCH__ >= 800
    u16 bits;
    asm("cvt.rn.bf16.f32 %0, %1;" : "=h"(bits) : "f"(a));
    return bits;
#else
    const u32 bits = __float_as_uint(a);
    if (a != a) return (u16)(bits >> 16 | 0x40u);
    return (u16)((bits + 0x7fffu + (bits >> 16 & 1)) >> 16);
#endif
  }
#if defined(__CUDACC_RTC__) && __CUDA_ARCH__ >= 900
  GR_PTX2(add, "add.rn.bf16")
  GR_PTX2(sub, "sub.rn.bf16")
  GR_PTX2(mul, "mul.rn.bf16")
#else
  GR_BY_SINGLE(add, +)
  GR_BY_SINGLE(sub, -)
  GR_BY_SINGLE(mul, *)
#endif
#if defined(__CUDACC_RTC__) && __CUDA_ARCH__ >= 800
  GR_PTX3(fma, "fma.rn.bf16")
#else
  static __device__ __forceinline__ u16 fma(u16 a, u16 b, u16 c) { return rounded(gr_fuse_to_odd(widened(a), widened(b), widened(c))); }
#endif
};
#ifdef __CUDACC_RTC__
#undef GR_PTX2
#undef GR_PTX3
#endif
#undef GR_BY_SINGLE

struct gr_of_bits {};
template <class F> struct gr_half {
  u16 bits;
  gr_half() = default;
  __device__ __forceinline__ constexpr gr_half(gr_of_bits, u16 of) : bits(of) {}
  __device__ __forceinline__ explicit gr_half(f32 a) : bits(F::rounded(a)) {}
  __device__ __forceinline__ explicit gr_half(f64 a) : bits(F::rounded(gr_round_to_odd(a))) {}
  template <class G> __device__ __forceinline__ explicit gr_half(gr_half<G> a) : gr_half((f32)a) {}
  template <class T> __device__ __forceinline__ explicit gr_half(T integer) : gr_half(gr_integer_to_odd(integer)) {}
  static __device__ __forceinline__ constexpr gr_half of(u16 bits) { return gr_half(gr_of_bits(), bits); }
  __device__ __forceinline__ explicit operator f32() const { return F::widened(bits); }
  __device__ __forceinline__ explicit operator f64() const { return (f64)F::widened(bits); }
  // Without the sign.
  __device__ __forceinline__ u16 size() const { return (u16)(bits & 0x7fff); }
  __device__ __forceinline__ u16 sign() const { return (u16)(bits & 0x8000); }
};
typedef gr_half<gr_binary16> gr_f16;
typedef gr_half<gr_bfloat16> gr_bf16;

#define GR_HALF template <class F> static __device__ __forceinline__
GR_HALF gr_half<F> operator+(gr_half<F> a, gr_half<F> b) { return gr_half<F>::of(F::add(a.bits, b.bits)); }
GR_HALF gr_half<F> operator-(gr_half<F> a, gr_half<F> b) { return gr_half<F>::of(F::sub(a.bits, b.bits)); }
GR_HALF gr_half<F> operator*(gr_half<F> a, gr_half<F> b) { return gr_half<F>::of(F::mul(a.bits, b.bits)); }
GR_HALF gr_half<F> operator/(gr_half<F> a, gr_half<F> b) { return gr_half<F>((f32)a / (f32)b); }
GR_HALF gr_half<F> operator-(gr_half<F> a) { return gr_half<F>::of((u16)(a.bits ^ 0x8000)); }
GR_HALF bool operator==(gr_half<F> a, gr_half<F> b) { return (f32)a == (f32)b; }
GR_HALF bool operator!=(gr_half<F> a, gr_half<F> b) { return (f32)a != (f32)b; }
GR_HALF bool operator<(gr_half<F> a, gr_half<F> b) { return (f32)a < (f32)b; }
GR_HALF bool operator<=(gr_half<F> a, gr_half<F> b) { return (f32)a <= (f32)b; }
GR_HALF bool operator>(gr_half<F> a, gr_half<F> b) { return (f32)a > (f32)b; }
GR_HALF bool operator>=(gr_half<F> a, gr_half<F> b) { return (f32)a >= (f32)b; }
// What `ops` has for numbers of 16 bits is for integers.
GR_HALF gr_half<F> gr_wrapping_sub(gr_half<F> a, gr_half<F> b) { return a - b; }
GR_HALF gr_half<F> gr_wrapping_mul(gr_half<F> a, gr_half<F> b) { return a * b; }
GR_HALF gr_half<F> gr_remainder(gr_half<F> a, gr_half<F> b) { return gr_half<F>(fmodf((f32)a, (f32)b)); }
template <class F> struct gr_is_float<gr_half<F>> { static const bool value = true; };
template <class T, class F> static __device__ __forceinline__ T gr_cast(gr_half<F> a) { return gr_cast<T>((f32)a); }
// As the crate has it: of two zeros, the first.
GR_HALF gr_half<F> gr_min(gr_half<F> a, gr_half<F> b) { return a != a || b < a ? b : a; }
GR_HALF gr_half<F> gr_max(gr_half<F> a, gr_half<F> b) { return a != a || b > a ? b : a; }
GR_HALF gr_half<F> gr_abs(gr_half<F> a) { return gr_half<F>::of(a.size()); }
GR_HALF gr_half<F> gr_copysign(gr_half<F> a, gr_half<F> b) { return gr_half<F>::of((u16)(a.size() | b.sign())); }
GR_HALF gr_half<F> gr_signum(gr_half<F> a) { return a != a ? a : gr_copysign(gr_half<F>(1.0f), a); }
GR_HALF bool gr_is_infinite(gr_half<F> a) { return a.size() == F::infinity; }
GR_HALF bool gr_is_finite(gr_half<F> a) { return a.size() < F::infinity; }
GR_HALF bool gr_is_sign_negative(gr_half<F> a) { return a.sign() != 0; }
GR_HALF gr_half<F> gr_next_up(gr_half<F> a) {
  if (a != a || a.bits == F::infinity) return a;
  if (a.size() == 0) return gr_half<F>::of(1);
  return gr_half<F>::of((u16)(a.sign() != 0 ? a.bits - 1 : a.bits + 1));
}
GR_HALF gr_half<F> gr_mul_add(gr_half<F> a, gr_half<F> b, gr_half<F> c) { return gr_half<F>::of(F::fma(a.bits, b.bits, c.bits)); }

// Everything else is computed in f32.
#define GR_ONE(NAME) GR_HALF gr_half<F> gr_##NAME(gr_half<F> a) { return gr_half<F>(gr_##NAME((f32)a)); }
#define GR_TWO(NAME) GR_HALF gr_half<F> gr_##NAME(gr_half<F> a, gr_half<F> b) { return gr_half<F>(gr_##NAME((f32)a, (f32)b)); }
#define GR_THREE(NAME) \
  GR_HALF gr_half<F> gr_##NAME(gr_half<F> a, gr_half<F> b, gr_half<F> c) { return gr_half<F>(gr_##NAME((f32)a, (f32)b, (f32)c)); }
#define GR_FOUR(NAME) \
  GR_HALF gr_half<F> gr_##NAME(gr_half<F> a, gr_half<F> b, gr_half<F> c, gr_half<F> d) { \
    return gr_half<F>(gr_##NAME((f32)a, (f32)b, (f32)c, (f32)d)); \
  }
#define GR_ORDER(NAME) GR_HALF gr_half<F> gr_##NAME(gr_half<F> a, i32 n) { return gr_half<F>(gr_##NAME((f32)a, n)); }
#define GR_PAIR(NAME) \
  GR_HALF gr_tuple2<gr_half<F>, gr_half<F>> gr_##NAME(gr_half<F> a) { \
    const gr_tuple2<f32, f32> pair = gr_##NAME((f32)a); \
    return {gr_half<F>(pair._0), gr_half<F>(pair._1)}; \
  }
GR_ONE(sin) GR_ONE(cos) GR_ONE(tan) GR_PAIR(sin_cos) GR_ONE(asin) GR_ONE(acos) GR_ONE(atan) GR_TWO(atan2)
GR_ONE(sinh) GR_ONE(cosh) GR_ONE(tanh) GR_ONE(asinh) GR_ONE(acosh) GR_ONE(atanh)
GR_ONE(exp) GR_ONE(exp2) GR_ONE(exp_m1) GR_ONE(ln) GR_ONE(ln_1p) GR_ONE(log2) GR_ONE(log10) GR_TWO(log)
GR_ONE(sqrt) GR_ONE(cbrt) GR_TWO(hypot) GR_TWO(powf) GR_ORDER(powi)
GR_ONE(floor) GR_ONE(ceil) GR_ONE(round) GR_ONE(round_ties_even) GR_ONE(trunc) GR_ONE(fract)
GR_ONE(recip) GR_ONE(to_degrees) GR_ONE(to_radians) GR_TWO(div_euclid) GR_TWO(rem_euclid)
GR_ONE(rsqrt) GR_ONE(rcbrt) GR_TWO(rhypot) GR_ONE(exp10) GR_ONE(sin_pi) GR_ONE(cos_pi) GR_PAIR(sin_cos_pi)
GR_ONE(erf) GR_ONE(erfc) GR_ONE(erfcx) GR_ONE(erfinv) GR_ONE(erfcinv) GR_ONE(norm_cdf) GR_ONE(norm_cdf_inv) GR_ONE(tgamma) GR_ONE(lgamma)
GR_ONE(bessel_j0) GR_ONE(bessel_j1) GR_ORDER(bessel_jn) GR_ONE(bessel_y0) GR_ONE(bessel_y1) GR_ORDER(bessel_yn)
GR_ONE(bessel_i0) GR_ONE(bessel_i1) GR_THREE(hypot3) GR_THREE(rhypot3) GR_FOUR(hypot4) GR_FOUR(rhypot4) GR_ONE(saturate)
GR_TWO(ieee_remainder) GR_TWO(fdim) GR_ORDER(ldexp) GR_PAIR(modf) GR_ONE(logb)
GR_HALF gr_tuple2<gr_half<F>, i32> gr_frexp(gr_half<F> a) {
  const gr_tuple2<f32, i32> parts = gr_frexp((f32)a);
  return {gr_half<F>(parts._0), parts._1};
}
GR_HALF gr_tuple2<gr_half<F>, i32> gr_remquo(gr_half<F> a, gr_half<F> b) {
  const gr_tuple2<f32, i32> parts = gr_remquo((f32)a, (f32)b);
  return {gr_half<F>(parts._0), parts._1};
}
GR_HALF i32 gr_ilogb(gr_half<F> a) { return gr_ilogb((f32)a); }
GR_ONE(fast_sin) GR_ONE(fast_cos) GR_ONE(fast_tan) GR_ONE(fast_exp) GR_ONE(fast_exp2) GR_ONE(fast_exp10) GR_ONE(fast_ln)
GR_ONE(fast_log2) GR_ONE(fast_log10) GR_TWO(fast_powf) GR_TWO(fast_div) GR_ONE(fast_sqrt)
#undef GR_ONE
#undef GR_TWO
#undef GR_THREE
#undef GR_FOUR
#undef GR_ORDER
#undef GR_PAIR

// What the threads of a warp exchange is the bits; what is printed has the digits of f32.
#define GR_SHUFFLE(NAME, BY) \
  GR_HALF gr_half<F> NAME(u32 lanes, gr_half<F> a, BY by) { return gr_half<F>::of((u16)::NAME(lanes, (u32)a.bits, by)); }
GR_SHUFFLE(__shfl_sync, int)
GR_SHUFFLE(__shfl_up_sync, u32)
GR_SHUFFLE(__shfl_down_sync, u32)
GR_SHUFFLE(__shfl_xor_sync, int)
#undef GR_SHUFFLE
GR_HALF u32 __match_any_sync(u32 lanes, gr_half<F> a) { return ::__match_any_sync(lanes, (u32)a.bits); }
GR_HALF u32 __match_all_sync(u32 lanes, gr_half<F> a, int* same) { return ::__match_all_sync(lanes, (u32)a.bits, same); }
GR_HALF f32 gr_printable(gr_half<F> a) { return (f32)a; }
#undef GR_HALF
