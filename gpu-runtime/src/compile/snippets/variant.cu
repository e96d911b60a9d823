// A variant without data, of the enum that it becomes or is compared with.
struct gr_variant {
  i64 number;
  template <class T> __device__ __forceinline__ operator T() const {
    T value;
    value.gr_become(number);
    return value;
  }
};
template <class T> static __device__ __forceinline__ bool operator==(const T& value, gr_variant variant) {
  return value.gr_is(variant.number);
}
template <class T> static __device__ __forceinline__ bool operator!=(const T& value, gr_variant variant) {
  return !value.gr_is(variant.number);
}
template <class T> static __device__ __forceinline__ bool operator==(gr_variant variant, const T& value) {
  return value.gr_is(variant.number);
}
template <class T> static __device__ __forceinline__ bool operator!=(gr_variant variant, const T& value) {
  return !value.gr_is(variant.number);
}
static __device__ __forceinline__ bool operator==(gr_variant a, gr_variant b) { return a.number == b.number; }
static __device__ __forceinline__ bool operator!=(gr_variant a, gr_variant b) { return a.number != b.number; }
// The order of a variant is that of the value that it becomes.
#define GR_OPERATOR(OP) \
  template <class T> static __device__ __forceinline__ bool operator OP(const T& value, gr_variant variant) { return value OP (T)variant; } \
  template <class T> static __device__ __forceinline__ bool operator OP(gr_variant variant, const T& value) { return (T)variant OP value; } \
  static __device__ __forceinline__ bool operator OP(gr_variant a, gr_variant b) { return a.number OP b.number; }
GR_OPERATOR(<)
GR_OPERATOR(<=)
GR_OPERATOR(>)
GR_OPERATOR(>=)
#undef GR_OPERATOR
template <class T> static __device__ __forceinline__ int gr_order(const T& value, gr_variant variant) { return gr_order(value, (T)variant); }
template <class T> static __device__ __forceinline__ int gr_order(gr_variant variant, const T& value) { return gr_order((T)variant, value); }
static __device__ __forceinline__ int gr_order(gr_variant a, gr_variant b) { return a.number < b.number ? -1 : a.number > b.number; }
