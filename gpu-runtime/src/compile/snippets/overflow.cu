// overflowing_add and similar functions: the wrapped result, and whether it wrapped.
template <class T> static __device__ __forceinline__ gr_tuple2<T, bool> gr_overflowing_add(T a, T b) {
  T sum = gr_wrapping_add(a, b);
  return gr_tuple2<T, bool>{sum, b >= 0 ? sum < a : sum > a};
}
template <class T> static __device__ __forceinline__ gr_tuple2<T, bool> gr_overflowing_sub(T a, T b) {
  T difference = gr_wrapping_sub(a, b);
  return gr_tuple2<T, bool>{difference, b >= 0 ? difference > a : difference < a};
}
template <class T> static __device__ __forceinline__ gr_tuple2<T, bool> gr_overflowing_neg(T a) { return gr_overflowing_sub((T)0, a); }
template <class T> static __device__ __forceinline__ gr_tuple2<T, bool> gr_overflowing_abs(T a) { return gr_tuple2<T, bool>{gr_wrapping_abs(a), a == gr_lowest<T>()}; }
template <class T> static __device__ __forceinline__ gr_tuple2<T, bool> gr_overflowing_shl(T a, u32 amount) {
  return gr_tuple2<T, bool>{gr_wrapping_shl(a, amount), amount >= 8 * sizeof(T)};
}
template <class T> static __device__ __forceinline__ gr_tuple2<T, bool> gr_overflowing_shr(T a, u32 amount) {
  return gr_tuple2<T, bool>{gr_wrapping_shr(a, amount), amount >= 8 * sizeof(T)};
}
// Of divisors other than 0.
template <class T> static __device__ __forceinline__ gr_tuple2<T, bool> gr_overflowing_div(T a, T b) {
  return gr_tuple2<T, bool>{gr_wrapping_div(a, b), gr_division_overflows(a, b)};
}
template <class T> static __device__ __forceinline__ gr_tuple2<T, bool> gr_overflowing_rem(T a, T b) {
  return gr_tuple2<T, bool>{gr_wrapping_rem(a, b), gr_division_overflows(a, b)};
}
template <class T> static __device__ __forceinline__ gr_tuple2<T, bool> gr_overflowing_mul(T a, T b) {
  return gr_tuple2<T, bool>{gr_wrapping_mul(a, b), gr_multiplication_overflows(a, b)};
}
template <class T> static __device__ gr_tuple2<T, bool> gr_overflowing_pow(T base, u32 exponent) {
  gr_tuple2<T, bool> result{1, false};
  bool base_overflows = false;
  while (exponent != 0) {
    if (exponent & 1) {
      result._1 = result._1 || base_overflows || gr_multiplication_overflows(result._0, base);
      result._0 = gr_wrapping_mul(result._0, base);
    }
    exponent >>= 1;
    if (exponent != 0) {
      base_overflows = base_overflows || gr_multiplication_overflows(base, base);
      base = gr_wrapping_mul(base, base);
    }
  }
  return result;
}
template <class T> static __device__ __forceinline__ T gr_saturating_pow(T base, u32 exponent) {
  gr_tuple2<T, bool> power = gr_overflowing_pow(base, exponent);
  if (!power._1) return power._0;
  return base < 0 && (exponent & 1) ? gr_lowest<T>() : gr_highest<T>();
}
