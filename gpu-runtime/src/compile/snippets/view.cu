// How the elements of a view lie in memory: for each axis, how many there are and how far apart neighbours are.
template <u32 N> struct gr_layout {
  usize shape[N];
  isize strides[N];
  __device__ __forceinline__ usize len() const {
    usize product = shape[0];
    for (u32 axis = 1; axis < N; axis++) product *= shape[axis];
    return product;
  }
  __device__ __forceinline__ isize offset(usize i) const { return (isize)i * strides[0]; }
  __device__ __forceinline__ isize offset(usize i, usize j) const { return (isize)i * strides[0] + (isize)j * strides[1]; }
  __device__ __forceinline__ isize offset(usize i, usize j, usize k) const { return offset(i, j) + (isize)k * strides[2]; }
  __device__ __forceinline__ isize offset(usize i, usize j, usize k, usize l) const { return offset(i, j, k) + (isize)l * strides[3]; }
};
