// overflowing_add and similar functions: the wrapped result, and whether it wrapped.
template <class T> static __device__ __forceinline__ gr_tuple2<T, bool> gr_overflowing_add(T a, T b) {
  T sum = gr_wrapping_add(a, b);
  return gr_tuple2<T, bool>{sum, b >= 0 ? sum < a : sum > a};
}
template <class T> static __device__ __forceinline__ gr_tuple2<T, bool> gr_overflowing_sub(T a, T b) {
  T difference = gr_wrapping_sub(a, b);
  return gr_tuple2<T, bool>{difference, b >= 0 ? difference > a : difference < a};
}
template <class T> static __device__ __forceinline__ gr_tuple2<T, bool> gr_overflowing_mul(T a, T b) {
  return gr_tuple2<T, bool>{gr_wrapping_mul(a, b), gr_multiplication_overflows(a, b)};
}
