// The larger of two indices.
template <class T, class N> static __device__ __forceinline__ T gr_larger(T most, N index) { return most < index ? (T)index : most; }

// An index that is in bounds of `length` elements, at least one: `index`, or the last.
template <class T, class N> static __device__ __forceinline__ T gr_clamped(T index, N length) {
  const T last = (T)length - 1;
  return last < index ? last : index;
}
