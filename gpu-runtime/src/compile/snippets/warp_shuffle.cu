// The value of another thread of the warp. `lanes` has the bits of those that take part.
template <class T> static __device__ __forceinline__ T gr_warp_shuffle(T value, usize lane, u32 lanes = 0xffffffffu) {
  return (T)__shfl_sync(lanes, value, (int)(lane % 32));
}
template <class T> static __device__ __forceinline__ T gr_warp_shuffle_up(T value, usize delta, u32 lanes = 0xffffffffu) {
  const T other = (T)__shfl_up_sync(lanes, value, (u32)(delta % 32));
  return delta < 32 ? other : value;
}
template <class T> static __device__ __forceinline__ T gr_warp_shuffle_down(T value, usize delta, u32 lanes = 0xffffffffu) {
  const T other = (T)__shfl_down_sync(lanes, value, (u32)(delta % 32));
  return delta < 32 ? other : value;
}
template <class T> static __device__ __forceinline__ T gr_warp_shuffle_xor(T value, usize bits, u32 lanes = 0xffffffffu) {
  return (T)__shfl_xor_sync(lanes, value, (int)(bits % 32));
}
