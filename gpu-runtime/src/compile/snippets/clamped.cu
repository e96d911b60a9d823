// The larger of two indices.
template <class I, class N> static __device__ __forceinline__ I gr_larger(I most, N index) { return most < index ? (I)index : most; }

// An index that is in bounds of `length` elements, at least one: `index`, or the last.
template <class I, class N> static __device__ __forceinline__ I gr_clamped(I index, N length) {
  const I last = (I)length - 1;
  return last < index ? last : index;
}
