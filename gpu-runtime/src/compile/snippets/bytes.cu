// The bytes of integers. A GPU is little-endian.
template <class T> static __device__ __forceinline__ gr_array<u8, sizeof(T)> gr_to_le_bytes(T v) {
  gr_array<u8, sizeof(T)> bytes;
  #pragma unroll
  for (u32 i = 0; i < sizeof(T); i++) bytes.data[i] = (u8)((u64)v >> (8 * i));
  return bytes;
}
template <class T> static __device__ __forceinline__ gr_array<u8, sizeof(T)> gr_to_be_bytes(T v) {
  gr_array<u8, sizeof(T)> bytes;
  #pragma unroll
  for (u32 i = 0; i < sizeof(T); i++) bytes.data[sizeof(T) - 1 - i] = (u8)((u64)v >> (8 * i));
  return bytes;
}
template <class T> static __device__ __forceinline__ gr_array<u8, sizeof(T)> gr_to_ne_bytes(T v) { return gr_to_le_bytes(v); }
template <class T> static __device__ __forceinline__ T gr_from_le_bytes(gr_array<u8, sizeof(T)> bytes) {
  u64 v = 0;
  #pragma unroll
  for (u32 i = 0; i < sizeof(T); i++) v |= (u64)bytes.data[i] << (8 * i);
  return (T)v;
}
template <class T> static __device__ __forceinline__ T gr_from_be_bytes(gr_array<u8, sizeof(T)> bytes) {
  u64 v = 0;
  #pragma unroll
  for (u32 i = 0; i < sizeof(T); i++) v = v << 8 | bytes.data[i];
  return (T)v;
}
template <class T> static __device__ __forceinline__ T gr_from_ne_bytes(gr_array<u8, sizeof(T)> bytes) { return gr_from_le_bytes<T>(bytes); }
