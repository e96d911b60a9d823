// checked_add and similar functions: None if the result overflows.
template <class T> static __device__ __forceinline__ gr_option<T> gr_checked(gr_tuple2<T, bool> overflowing) {
  return gr_option<T>{!overflowing._1, overflowing._0};
}
template <class T> static __device__ __forceinline__ gr_option<T> gr_checked_add(T a, T b) { return gr_checked(gr_overflowing_add(a, b)); }
template <class T> static __device__ __forceinline__ gr_option<T> gr_checked_sub(T a, T b) { return gr_checked(gr_overflowing_sub(a, b)); }
template <class T> static __device__ __forceinline__ gr_option<T> gr_checked_mul(T a, T b) { return gr_checked(gr_overflowing_mul(a, b)); }
template <class T> static __device__ __forceinline__ gr_option<T> gr_checked_neg(T a) { return gr_checked(gr_overflowing_sub((T)0, a)); }
template <class T> static __device__ __forceinline__ gr_option<T> gr_checked_div(T a, T b) {
  if (gr_is_zero_divisor(b) || gr_division_overflows(a, b)) return gr_option<T>{};
  return gr_some(gr_divide(a, b));
}
template <class T> static __device__ __forceinline__ gr_option<T> gr_checked_rem(T a, T b) {
  if (gr_is_zero_divisor(b) || gr_division_overflows(a, b)) return gr_option<T>{};
  return gr_some(gr_remainder(a, b));
}
template <class T> static __device__ __forceinline__ gr_option<T> gr_checked_shl(T a, u32 amount) {
  return gr_option<T>{amount < 8 * sizeof(T), gr_wrapping_shl(a, amount)};
}
template <class T> static __device__ __forceinline__ gr_option<T> gr_checked_shr(T a, u32 amount) {
  return gr_option<T>{amount < 8 * sizeof(T), gr_wrapping_shr(a, amount)};
}
template <class T> static __device__ __forceinline__ gr_option<T> gr_checked_abs(T a) { return gr_checked(gr_overflowing_abs(a)); }
template <class T> static __device__ __forceinline__ gr_option<T> gr_checked_pow(T base, u32 exponent) { return gr_checked(gr_overflowing_pow(base, exponent)); }
template <class T> static __device__ __forceinline__ gr_option<T> gr_checked_div_euclid(T a, T b) {
  if (gr_is_zero_divisor(b) || gr_division_overflows(a, b)) return gr_option<T>{};
  return gr_some(gr_div_euclid(a, b));
}
template <class T> static __device__ __forceinline__ gr_option<T> gr_checked_rem_euclid(T a, T b) {
  if (gr_is_zero_divisor(b) || gr_division_overflows(a, b)) return gr_option<T>{};
  return gr_some(gr_rem_euclid(a, b));
}
