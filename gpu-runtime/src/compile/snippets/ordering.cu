// Rust's Ordering is its number: -1, 0 or 1. The types differ where one operand is a variant without data.
template <class A, class B> static __device__ __forceinline__ i8 gr_cmp(A a, B b) { return (i8)gr_order(a, b); }
template <class A, class B> static __device__ __forceinline__ gr_option<i8> gr_partial_cmp(A a, B b) {
  const int order = gr_order(a, b);
  return order == 2 ? gr_option<i8>{} : gr_some((i8)order);
}
static __device__ __forceinline__ bool gr_is_less(gr_option<i8> order) { return order.some && order.value < 0; }
static __device__ __forceinline__ bool gr_is_less_equal(gr_option<i8> order) { return order.some && order.value <= 0; }
static __device__ __forceinline__ bool gr_is_greater(gr_option<i8> order) { return order.some && order.value > 0; }
static __device__ __forceinline__ bool gr_is_greater_equal(gr_option<i8> order) { return order.some && order.value >= 0; }
