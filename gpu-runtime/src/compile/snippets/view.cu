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
  // The same where it needs at most 31 bits and the last axis has no stride. The sum of any of its products is no larger.
  template <u32 axis> __device__ __forceinline__ i32 part(u32 i) const { return (i32)i * (i32)strides[axis]; }
  __device__ __forceinline__ i32 compact_offset(u32 i) const { return (i32)i; }
  __device__ __forceinline__ i32 compact_offset(u32 i, u32 j) const { return part<0>(i) + (i32)j; }
  __device__ __forceinline__ i32 compact_offset(u32 i, u32 j, u32 k) const { return part<0>(i) + part<1>(j) + (i32)k; }
  __device__ __forceinline__ i32 compact_offset(u32 i, u32 j, u32 k, u32 l) const { return part<0>(i) + part<1>(j) + part<2>(k) + (i32)l; }
};
