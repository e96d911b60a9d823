// The value of the thread `distance` further up in the warp, for elements and tuples of them. All threads of the warp that
// have not exited must call it.
template <class T> static __device__ __forceinline__ T gr_shuffle_down(T value, u32 distance) {
  if constexpr (__is_class(T)) {
    u32 words[(sizeof(T) + 3) / 4] = {};
    memcpy(words, &value, sizeof(T));
#pragma unroll
    for (u32 k = 0; k < (sizeof(T) + 3) / 4; ++k) words[k] = ::__shfl_down_sync(0xffffffffu, words[k], distance);
    memcpy(&value, words, sizeof(T));
    return value;
  } else if constexpr (sizeof(T) >= 4) {
    return ::__shfl_down_sync(0xffffffffu, value, distance);
  } else {
    return (T)::__shfl_down_sync(0xffffffffu, (u32)value, distance);
  }
}
template <class A, class B> static __device__ __forceinline__ gr_tuple2<A, B> gr_shuffle_down(gr_tuple2<A, B> value, u32 distance) {
  return {gr_shuffle_down(value._0, distance), gr_shuffle_down(value._1, distance)};
}
template <class A, class B, class C>
static __device__ __forceinline__ gr_tuple3<A, B, C> gr_shuffle_down(gr_tuple3<A, B, C> value, u32 distance) {
  return {gr_shuffle_down(value._0, distance), gr_shuffle_down(value._1, distance), gr_shuffle_down(value._2, distance)};
}
template <class A, class B, class C, class D>
static __device__ __forceinline__ gr_tuple4<A, B, C, D> gr_shuffle_down(gr_tuple4<A, B, C, D> value, u32 distance) {
  return {gr_shuffle_down(value._0, distance), gr_shuffle_down(value._1, distance), gr_shuffle_down(value._2, distance),
          gr_shuffle_down(value._3, distance)};
}
