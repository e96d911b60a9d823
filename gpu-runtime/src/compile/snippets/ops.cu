// Operators with Rust's meaning, for types whose C arithmetic is undefined on overflow or promoted to int, and for values
// whose type only the C++ compiler sees.
template <class T> struct gr_wide { typedef T type; static const bool is_float = true; static const bool is_signed = true; };
#define GR_INTEGER(T, W, S) template <> struct gr_wide<T> { typedef W type; static const bool is_float = false; static const bool is_signed = S; };
GR_INTEGER(i8, u32, true)
GR_INTEGER(u8, u32, false)
GR_INTEGER(i16, u32, true)
GR_INTEGER(u16, u32, false)
GR_INTEGER(i32, u32, true)
GR_INTEGER(u32, u32, false)
GR_INTEGER(i64, u64, true)
GR_INTEGER(u64, u64, false)
GR_INTEGER(bool, u32, false)
#undef GR_INTEGER
#define GR_WIDE(x) ((typename gr_wide<T>::type)(x))
// The low bits. Of 16 bits, the compiler must not know where they come from: it would make `neg.s16` of `0 - x`, and ptxas (of CUDA
// 13.0, seen on an H200) takes the result of that for 32768 where it is -32768.
template <class T, class W> static __device__ __forceinline__ T gr_cut(W wide) {
  if constexpr (sizeof(T) == 2) asm("" : "+r"(wide));
  return (T)wide;
}
template <class T> static __device__ __forceinline__ T gr_wrapping_add(T a, T b) { return (T)(GR_WIDE(a) + GR_WIDE(b)); }
template <class T> static __device__ __forceinline__ T gr_wrapping_sub(T a, T b) { return gr_cut<T>(GR_WIDE(a) - GR_WIDE(b)); }
template <class T> static __device__ __forceinline__ T gr_wrapping_mul(T a, T b) { return gr_cut<T>(GR_WIDE(a) * GR_WIDE(b)); }
template <class T> static __device__ __forceinline__ T gr_wrapping_neg(T a) {
  if constexpr (gr_wide<T>::is_float) return -a;
  else return gr_cut<T>(0u - GR_WIDE(a));
}
template <class T> static __device__ __forceinline__ T gr_not(T a) { return (T)~a; }
template <> __device__ __forceinline__ bool gr_not<bool>(bool a) { return !a; }
template <class T> static __device__ __forceinline__ T gr_bit_and(T a, T b) { return (T)(a & b); }
template <class T> static __device__ __forceinline__ T gr_bit_or(T a, T b) { return (T)(a | b); }
template <class T> static __device__ __forceinline__ T gr_bit_xor(T a, T b) { return (T)(a ^ b); }
// The amount is taken modulo the width.
template <class T> static __device__ __forceinline__ T gr_wrapping_shl(T a, u32 amount) { return (T)(GR_WIDE(a) << (amount & (8 * sizeof(T) - 1))); }
template <class T> static __device__ __forceinline__ T gr_wrapping_shr(T a, u32 amount) { return (T)(a >> (amount & (8 * sizeof(T) - 1))); }
template <class T> static __device__ __forceinline__ bool gr_is_zero_divisor(T b) {
  if constexpr (gr_wide<T>::is_float) return false;
  else return b == 0;
}
// MIN / -1.
template <class T> static __device__ __forceinline__ bool gr_division_overflows(T a, T b) {
  if constexpr (gr_wide<T>::is_float || !gr_wide<T>::is_signed) return false;
  else return b == (T)-1 && a == (T)(GR_WIDE(1) << (8 * sizeof(T) - 1));
}
// Of operands of two types, the user's operator decides.
template <class A, class B> static __device__ __forceinline__ bool gr_division_overflows(A, B) {
  static_assert(__is_class(A) || __is_class(B), "the numbers of a division have one type");
  return false;
}
template <class T> static __device__ __forceinline__ T gr_divide(T a, T b) { return (T)(a / b); }
template <class T> static __device__ __forceinline__ T gr_remainder(T a, T b) { return (T)(a % b); }
static __device__ __forceinline__ f32 gr_remainder(f32 a, f32 b) { return fmodf(a, b); }
static __device__ __forceinline__ f64 gr_remainder(f64 a, f64 b) { return fmod(a, b); }
template <class T> static __device__ __forceinline__ T gr_clamp(T a, T lowest, T highest) {
  if (a < lowest) a = lowest;
  if (a > highest) a = highest;
  return a;
}
// Steps of range loops: from low to high is a distance that no signed type can overflow. That of two words of 32 bits fits such a word.
template <class T> static __device__ __forceinline__ auto gr_distance(T low, T high) {
  if constexpr (sizeof(T) <= 4) return (u32)high - (u32)low;
  else return (usize)high - (usize)low;
}
template <class T> static __device__ __forceinline__ T gr_step(T a, usize step) { return (T)((usize)a + step); }
template <class T> static __device__ __forceinline__ T gr_step_back(T a, usize step) { return (T)((usize)a - step); }

// The end of a range, or the length of an array if that is less.
template <class T, class N> static __device__ __forceinline__ T gr_within(T end, N length) { return (usize)end < length ? end : (T)length; }
// How many iterations of a loop with so many check their indices together.
static constexpr __device__ __forceinline__ u32 gr_group(u64 count) { return 0 < count && count <= 16 ? (u32)count : 4u; }
