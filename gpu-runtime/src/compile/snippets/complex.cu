// Complex numbers, by the formulas of the crate num_complex: each operation rounds where that does.
template <class R> struct gr_complex { R re; R im; };
template <class R> struct gr_real_of<gr_complex<R>> { typedef R type; };
#define GR_COMPLEX(NAME, ...) template <class R> static __device__ __forceinline__ gr_complex<R> NAME(__VA_ARGS__)
GR_COMPLEX(gr_complex_of, R re, R im) { return gr_complex<R>{re, im}; }
GR_COMPLEX(gr_wrapping_add, gr_complex<R> a, gr_complex<R> b) { return gr_complex<R>{a.re + b.re, a.im + b.im}; }
GR_COMPLEX(gr_wrapping_add, gr_complex<R> a, R b) { return gr_complex<R>{a.re + b, a.im}; }
GR_COMPLEX(gr_wrapping_add, R a, gr_complex<R> b) { return gr_complex<R>{a + b.re, b.im}; }
GR_COMPLEX(gr_wrapping_sub, gr_complex<R> a, gr_complex<R> b) { return gr_complex<R>{a.re - b.re, a.im - b.im}; }
GR_COMPLEX(gr_wrapping_sub, gr_complex<R> a, R b) { return gr_complex<R>{a.re - b, a.im}; }
GR_COMPLEX(gr_wrapping_sub, R a, gr_complex<R> b) { return gr_complex<R>{a - b.re, R(0) - b.im}; }
GR_COMPLEX(gr_wrapping_mul, gr_complex<R> a, gr_complex<R> b) {
  return gr_complex<R>{a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}
GR_COMPLEX(gr_wrapping_mul, gr_complex<R> a, R b) { return gr_complex<R>{a.re * b, a.im * b}; }
GR_COMPLEX(gr_wrapping_mul, R a, gr_complex<R> b) { return gr_complex<R>{a * b.re, a * b.im}; }
GR_COMPLEX(gr_wrapping_neg, gr_complex<R> a) { return gr_complex<R>{-a.re, -a.im}; }
template <class R> static __device__ __forceinline__ R gr_norm_sqr(gr_complex<R> a) { return a.re * a.re + a.im * a.im; }
GR_COMPLEX(gr_divide, gr_complex<R> a, gr_complex<R> b) {
  const R square = gr_norm_sqr(b);
  return gr_complex<R>{(a.re * b.re + a.im * b.im) / square, (a.im * b.re - a.re * b.im) / square};
}
GR_COMPLEX(gr_divide, gr_complex<R> a, R b) { return gr_complex<R>{a.re / b, a.im / b}; }
GR_COMPLEX(gr_divide, R a, gr_complex<R> b) {
  const R square = gr_norm_sqr(b);
  return gr_complex<R>{a * b.re / square, R(0) - a * b.im / square};
}
// A quotient is never refused: of the operands of different types too.
template <class R> static __device__ __forceinline__ bool gr_division_overflows(gr_complex<R>, R) { return false; }
template <class R> static __device__ __forceinline__ bool gr_division_overflows(R, gr_complex<R>) { return false; }
template <class R> static __device__ __forceinline__ bool operator==(gr_complex<R> a, gr_complex<R> b) { return a.re == b.re && a.im == b.im; }
template <class R> static __device__ __forceinline__ bool operator!=(gr_complex<R> a, gr_complex<R> b) { return !(a == b); }
GR_COMPLEX(gr_conj, gr_complex<R> a) { return gr_complex<R>{a.re, -a.im}; }
GR_COMPLEX(gr_inv, gr_complex<R> a) {
  const R square = gr_norm_sqr(a);
  return gr_complex<R>{a.re / square, -a.im / square};
}
template <class R> static __device__ __forceinline__ R gr_norm(gr_complex<R> a) { return gr_hypot(a.re, a.im); }
template <class R> static __device__ __forceinline__ R gr_arg(gr_complex<R> a) { return gr_atan2(a.im, a.re); }
GR_COMPLEX(gr_from_polar, R norm, R angle) { return gr_complex<R>{norm * gr_cos(angle), norm * gr_sin(angle)}; }
GR_COMPLEX(gr_exp, gr_complex<R> a) {
  if (gr_is_infinite(a.re)) {
    if (a.re < R(0)) {
      if (!gr_is_finite(a.im)) return gr_complex<R>{R(0), R(0)};
    } else if (a.im == R(0) || !gr_is_finite(a.im)) {
      return gr_complex<R>{a.re, gr_is_infinite(a.im) ? a.im - a.im : a.im};
    }
  } else if (a.re != a.re && a.im == R(0)) {
    return a;
  }
  return gr_from_polar(gr_exp(a.re), a.im);
}
GR_COMPLEX(gr_ln, gr_complex<R> a) { return gr_complex<R>{gr_ln(gr_norm(a)), gr_arg(a)}; }
GR_COMPLEX(gr_sqrt, gr_complex<R> a) {
  const bool above = !gr_is_sign_negative(a.im);
  if (a.im == R(0)) {
    if (!gr_is_sign_negative(a.re)) return gr_complex<R>{gr_sqrt(a.re), a.im};
    const R root = gr_sqrt(-a.re);
    return gr_complex<R>{R(0), above ? root : -root};
  }
  if (a.re == R(0)) {
    const R root = gr_sqrt((above ? a.im : -a.im) / R(2));
    return gr_complex<R>{root, above ? root : -root};
  }
  return gr_from_polar(gr_sqrt(gr_norm(a)), gr_arg(a) / R(2));
}
// Squares and products in the order of num_complex.
template <class R> static __device__ gr_complex<R> gr_powi(gr_complex<R> base, i32 exponent) {
  if (exponent == 0) return gr_complex<R>{R(1), R(0)};
  if (exponent < 0) base = gr_inv(base);
  u32 rest = exponent < 0 ? 0u - (u32)exponent : (u32)exponent;
  while ((rest & 1) == 0) {
    base = gr_wrapping_mul(base, base);
    rest >>= 1;
  }
  gr_complex<R> product = base;
  while (rest > 1) {
    rest >>= 1;
    base = gr_wrapping_mul(base, base);
    if (rest & 1) product = gr_wrapping_mul(product, base);
  }
  return product;
}
// Between the threads of a warp.
#define GR_SHUFFLE(NAME) \
  GR_COMPLEX(NAME, u32 lanes, gr_complex<R> a, u32 distance) { return gr_complex<R>{::NAME(lanes, a.re, distance), ::NAME(lanes, a.im, distance)}; }
GR_SHUFFLE(__shfl_up_sync)
GR_SHUFFLE(__shfl_down_sync)
#undef GR_SHUFFLE
#undef GR_COMPLEX
