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
