// Methods of Rust's integers.
template <class T> static __device__ __forceinline__ T gr_wrapping_abs(T a) { return a < 0 ? gr_wrapping_neg(a) : a; }
template <class T> static __device__ __forceinline__ T gr_signum(T a) { return (T)((a > 0) - (a < 0)); }
template <class T> static __device__ __forceinline__ T gr_min(T a, T b) { return b < a ? b : a; }
template <class T> static __device__ __forceinline__ T gr_max(T a, T b) { return b < a ? a : b; }
template <class T> static __device__ __forceinline__ bool gr_is_positive(T a) { return a > 0; }
template <class T> static __device__ __forceinline__ bool gr_is_negative(T a) { return a < 0; }
template <class T> static __device__ __forceinline__ bool gr_is_power_of_two(T a) { return a != 0 && (a & (a - 1)) == 0; }
template <class T> static __device__ T gr_wrapping_pow(T base, u32 exponent) {
  T result = 1;
  while (exponent != 0) {
    if (exponent & 1) result = gr_wrapping_mul(result, base);
    exponent >>= 1;
    if (exponent != 0) base = gr_wrapping_mul(base, base);
  }
  return result;
}
// The unsigned type of the same size.
template <class T> struct gr_unsigned { typedef T type; };
template <> struct gr_unsigned<i8> { typedef u8 type; };
template <> struct gr_unsigned<i16> { typedef u16 type; };
template <> struct gr_unsigned<i32> { typedef u32 type; };
template <> struct gr_unsigned<i64> { typedef u64 type; };
#define GR_UNSIGNED typename gr_unsigned<T>::type
template <class T> static __device__ __forceinline__ GR_UNSIGNED gr_abs_diff(T a, T b) {
  return a < b ? (GR_UNSIGNED)((GR_UNSIGNED)b - (GR_UNSIGNED)a) : (GR_UNSIGNED)((GR_UNSIGNED)a - (GR_UNSIGNED)b);
}
template <class T> static __device__ __forceinline__ GR_UNSIGNED gr_unsigned_abs(T a) { return (GR_UNSIGNED)gr_wrapping_abs(a); }
template <class T> static __device__ __forceinline__ T gr_lowest() {
  return gr_wide<T>::is_signed ? (T)((GR_UNSIGNED)1 << (8 * sizeof(T) - 1)) : (T)0;
}
template <class T> static __device__ __forceinline__ T gr_highest() { return (T)~gr_lowest<T>(); }
template <class T> static __device__ __forceinline__ T gr_saturating_add(T a, T b) {
  T sum = gr_wrapping_add(a, b);
  if (b >= 0) return sum < a ? gr_highest<T>() : sum;
  return sum > a ? gr_lowest<T>() : sum;
}
template <class T> static __device__ __forceinline__ T gr_saturating_sub(T a, T b) {
  T difference = gr_wrapping_sub(a, b);
  if (b >= 0) return difference > a ? gr_lowest<T>() : difference;
  return difference < a ? gr_highest<T>() : difference;
}
// Whether a * b leaves T: whether its upper half is more than the sign of the lower one.
template <class T> static __device__ __forceinline__ bool gr_multiplication_overflows(T a, T b) {
  if constexpr (gr_wide<T>::is_signed) {
    if constexpr (sizeof(T) == 8) return __mul64hi((i64)a, (i64)b) != (i64)gr_wrapping_mul(a, b) >> 63;
    else return (i64)a * (i64)b != (i64)gr_wrapping_mul(a, b);
  } else {
    if constexpr (sizeof(T) == 8) return __umul64hi((u64)a, (u64)b) != 0;
    else return ((u64)a * (u64)b) >> 8 * sizeof(T) != 0;
  }
}
template <class T> static __device__ __forceinline__ T gr_saturating_mul(T a, T b) {
  if (!gr_multiplication_overflows(a, b)) return gr_wrapping_mul(a, b);
  return (a < 0) != (b < 0) ? gr_lowest<T>() : gr_highest<T>();
}
template <class T> static __device__ __forceinline__ T gr_saturating_neg(T a) { return a == gr_lowest<T>() ? gr_highest<T>() : gr_wrapping_neg(a); }
template <class T> static __device__ __forceinline__ T gr_saturating_abs(T a) { return a < 0 ? gr_saturating_neg(a) : a; }
template <class T> static __device__ __forceinline__ T gr_unbounded_shl(T a, u32 amount) { return amount < 8 * sizeof(T) ? gr_wrapping_shl(a, amount) : (T)0; }
template <class T> static __device__ __forceinline__ T gr_unbounded_shr(T a, u32 amount) { return amount < 8 * sizeof(T) ? gr_wrapping_shr(a, amount) : (T)-(a < 0); }
template <class T> static __device__ __forceinline__ T gr_div_euclid(T a, T b) {
  T quotient = (T)(a / b);
  if ((T)(a % b) < 0) return b > 0 ? (T)(quotient - 1) : (T)(quotient + 1);
  return quotient;
}
template <class T> static __device__ __forceinline__ T gr_rem_euclid(T a, T b) {
  T remainder = (T)(a % b);
  if (remainder < 0) return b < 0 ? gr_wrapping_sub(remainder, b) : gr_wrapping_add(remainder, b);
  return remainder;
}
template <class T> static __device__ __forceinline__ T gr_div_ceil(T a, T b) { return (T)(a / b + (a % b != 0)); }
// Of divisors other than 0: MIN / -1 wraps around, or is limited.
template <class T> static __device__ __forceinline__ T gr_wrapping_div(T a, T b) { return gr_division_overflows(a, b) ? a : (T)(a / b); }
template <class T> static __device__ __forceinline__ T gr_wrapping_rem(T a, T b) { return gr_division_overflows(a, b) ? (T)0 : (T)(a % b); }
template <class T> static __device__ __forceinline__ T gr_wrapping_div_euclid(T a, T b) { return gr_division_overflows(a, b) ? a : gr_div_euclid(a, b); }
template <class T> static __device__ __forceinline__ T gr_wrapping_rem_euclid(T a, T b) { return gr_division_overflows(a, b) ? (T)0 : gr_rem_euclid(a, b); }
template <class T> static __device__ __forceinline__ T gr_saturating_div(T a, T b) { return gr_division_overflows(a, b) ? gr_highest<T>() : (T)(a / b); }
template <class T> static __device__ __forceinline__ T gr_next_multiple_of(T a, T b) {
  T remainder = (T)(a % b);
  return remainder == 0 ? a : gr_wrapping_add(a, gr_wrapping_sub(b, remainder));
}
template <class T> static __device__ __forceinline__ T gr_midpoint(T a, T b) { return (T)((a & b) + ((a ^ b) >> 1)); }
template <class T> static __device__ __forceinline__ T gr_isqrt(T a) {
  // The root of the nearest float is off by one at most.
  u64 square = a, root = (u64)sqrt((f64)square);
  if (root > 0xffffffffu) root = 0xffffffffu;
  if (root * root > square) return (T)(root - 1);
  return (T)(root < 0xffffffffu && (root + 1) * (root + 1) <= square ? root + 1 : root);
}
template <class T> static __device__ __forceinline__ u32 gr_count_ones(T a) { return (u32)__popcll((u64)(GR_UNSIGNED)a); }
template <class T> static __device__ __forceinline__ u32 gr_count_zeros(T a) { return 8 * sizeof(T) - gr_count_ones(a); }
template <class T> static __device__ __forceinline__ u32 gr_leading_zeros(T a) { return (u32)__clzll((i64)(u64)(GR_UNSIGNED)a) - (64 - 8 * sizeof(T)); }
template <class T> static __device__ __forceinline__ u32 gr_trailing_zeros(T a) {
  return a == 0 ? (u32)(8 * sizeof(T)) : (u32)__ffsll((i64)(u64)(GR_UNSIGNED)a) - 1;
}
// Of positive numbers.
template <class T> static __device__ __forceinline__ u32 gr_ilog2(T a) { return (u32)(8 * sizeof(T) - 1) - gr_leading_zeros(a); }
template <class T> static __device__ __forceinline__ u32 gr_ilog10(T a) {
  u32 digits = 0;
  for (u64 rest = (u64)(GR_UNSIGNED)a; rest >= 10; rest /= 10) digits++;
  return digits;
}
// The same of a word of which these are the low bits, and which has so many trailing zeros if they are all 0.
static __device__ __forceinline__ u32 gr_low_trailing_zeros(u32 low, u32 otherwise) { return low == 0 ? otherwise : (u32)__ffs((i32)low) - 1; }
template <class T> static __device__ __forceinline__ u32 gr_leading_ones(T a) { return gr_leading_zeros((T)~a); }
template <class T> static __device__ __forceinline__ u32 gr_trailing_ones(T a) { return gr_trailing_zeros((T)~a); }
template <class T> static __device__ __forceinline__ T gr_rotate_left(T a, u32 amount) {
  // One instruction, which NVRTC does not find by itself before it decides what to unroll.
  if constexpr (sizeof(T) == 4) return (T)__funnelshift_l((u32)a, (u32)a, amount);
  const u32 width = 8 * sizeof(T), left = amount & (width - 1);
  const GR_UNSIGNED bits = (GR_UNSIGNED)a;
  return left == 0 ? a : (T)(GR_UNSIGNED)((GR_UNSIGNED)(bits << left) | (GR_UNSIGNED)(bits >> (width - left)));
}
template <class T> static __device__ __forceinline__ T gr_rotate_right(T a, u32 amount) {
  return gr_rotate_left(a, 0u - amount);
}
template <class T> static __device__ __forceinline__ T gr_reverse_bits(T a) { return (T)(__brevll((u64)(GR_UNSIGNED)a) >> (64 - 8 * sizeof(T))); }
template <class T> static __device__ __forceinline__ T gr_swap_bytes(T a) {
  if constexpr (sizeof(T) == 4) return (T)__byte_perm((u32)a, 0u, 0x0123u);
  u64 bits = (u64)(GR_UNSIGNED)a, swapped = 0;
  for (u32 i = 0; i < sizeof(T); i++) swapped |= ((bits >> (8 * i)) & 0xff) << (8 * (sizeof(T) - 1 - i));
  return (T)swapped;
}
#undef GR_UNSIGNED
