// Which threads of a warp have the same value, bit for bit.
template <class T> static __device__ __forceinline__ u32 gr_warp_match_any(T value, u32 lanes = 0xffffffffu) {
  return __match_any_sync(lanes, value);
}
template <class T> static __device__ __forceinline__ gr_tuple2<u32, bool> gr_warp_match_all(T value, u32 lanes = 0xffffffffu) {
  int same;
  const u32 mask = __match_all_sync(lanes, value, &same);
  return {mask, same != 0};
}
