// Operations on the bits of integers that GPUs have and std has not.
template <class T> static __device__ __forceinline__ T gr_mul_hi(T a, T b) {
  if constexpr (sizeof(T) == 8) {
    if constexpr (gr_wide<T>::is_signed) return (T)__mul64hi((i64)a, (i64)b);
    else return (T)__umul64hi((u64)a, (u64)b);
  } else if constexpr (gr_wide<T>::is_signed) {
    return (T)((i64)a * (i64)b >> 8 * sizeof(T));
  } else {
    return (T)((u64)a * (u64)b >> 8 * sizeof(T));
  }
}
// The two numbers side by side, shifted by the amount modulo their width: the upper and the lower half of that.
template <class T> static __device__ __forceinline__ T gr_funnel_shift_left(T high, T low, u32 amount) {
  const u32 width = 8 * sizeof(T), left = amount & (width - 1);
  if constexpr (sizeof(T) == 4) return (T)__funnelshift_l((u32)low, (u32)high, left);
  else if constexpr (sizeof(T) == 8) return left == 0 ? high : (T)((u64)high << left | (u64)low >> (width - left));
  else return (T)((((u32)high << width | ((u32)low & ((1u << width) - 1))) << left) >> width);
}
template <class T> static __device__ __forceinline__ T gr_funnel_shift_right(T high, T low, u32 amount) {
  const u32 width = 8 * sizeof(T), right = amount & (width - 1);
  if constexpr (sizeof(T) == 4) return (T)__funnelshift_r((u32)low, (u32)high, right);
  else if constexpr (sizeof(T) == 8) return right == 0 ? low : (T)((u64)low >> right | (u64)high << (width - right));
  else return (T)(((u32)high << width | ((u32)low & ((1u << width) - 1))) >> right);
}
// A sum is what two numbers have in common twice, and what they differ in once: no carry is lost.
template <class T> static __device__ __forceinline__ T gr_average_floor(T a, T b) { return gr_wrapping_add((T)(a & b), (T)((T)(a ^ b) >> 1)); }
template <class T> static __device__ __forceinline__ T gr_average_ceil(T a, T b) { return gr_wrapping_sub((T)(a | b), (T)((T)(a ^ b) >> 1)); }
static __device__ __forceinline__ u32 gr_mul24(u32 a, u32 b) { return __umul24(a, b); }
static __device__ __forceinline__ i32 gr_mul24(i32 a, i32 b) { return __mul24(a, b); }
// CUDA reads the top bit of each selector as a request for the byte's sign; std has no name for that.
static __device__ __forceinline__ u32 gr_byte_permute(u32 a, u32 b, u32 selectors) { return __byte_perm(a, b, selectors & 0x7777u); }
// As bytes: the sum of the four products, and the summand. Compute capability 6.1 has an instruction, which the compiler is told
// to look for by name.
static __device__ __forceinline__ u32 gr_dot4_unsigned(u32 a, u32 b, u32 sum) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 610
  return __dp4a(a, b, sum);
#else
  for (u32 i = 0; i < 32; i += 8) sum += ((a >> i) & 0xffu) * ((b >> i) & 0xffu);
  return sum;
#endif
}
static __device__ __forceinline__ i32 gr_dot4_signed(u32 a, u32 b, i32 sum) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 610
  return __dp4a((i32)a, (i32)b, sum);
#else
  u32 total = (u32)sum;
  for (u32 i = 0; i < 32; i += 8) total += (u32)((i32)(i8)(a >> i) * (i32)(i8)(b >> i));
  return (i32)total;
#endif
}
