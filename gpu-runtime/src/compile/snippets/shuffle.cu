// The value of the thread `distance` further up or down in the warp, for elements and tuples of them. All threads of the warp that
// have not exited must call it.
#define GR_SHUFFLE(NAME, INTRINSIC) \
  template <class T> static __device__ __forceinline__ T NAME(T value, u32 distance) { \
    if constexpr (__is_class(T)) { \
      u32 words[(sizeof(T) + 3) / 4] = {}; \
      memcpy(words, &value, sizeof(T)); \
      _Pragma("unroll") for (u32 k = 0; k < (sizeof(T) + 3) / 4; ++k) words[k] = ::INTRINSIC(0xffffffffu, words[k], distance); \
      memcpy(&value, words, sizeof(T)); \
      return value; \
    } else if constexpr (sizeof(T) >= 4) { \
      return ::INTRINSIC(0xffffffffu, value, distance); \
    } else { \
      return (T)::INTRINSIC(0xffffffffu, (u32)value, distance); \
    } \
  } \
  template <class A, class B> static __device__ __forceinline__ gr_tuple2<A, B> NAME(gr_tuple2<A, B> value, u32 distance) { \
    return {NAME(value._0, distance), NAME(value._1, distance)}; \
  } \
  template <class A, class B, class C> \
  static __device__ __forceinline__ gr_tuple3<A, B, C> NAME(gr_tuple3<A, B, C> value, u32 distance) { \
    return {NAME(value._0, distance), NAME(value._1, distance), NAME(value._2, distance)}; \
  } \
  template <class A, class B, class C, class D> \
  static __device__ __forceinline__ gr_tuple4<A, B, C, D> NAME(gr_tuple4<A, B, C, D> value, u32 distance) { \
    return {NAME(value._0, distance), NAME(value._1, distance), NAME(value._2, distance), NAME(value._3, distance)}; \
  }
GR_SHUFFLE(gr_shuffle_down, __shfl_down_sync)
GR_SHUFFLE(gr_shuffle_up, __shfl_up_sync)
#undef GR_SHUFFLE
