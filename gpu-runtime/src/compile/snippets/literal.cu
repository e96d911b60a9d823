// A float literal of the type that stands next to it, rounded once.
template <class T> static __device__ __forceinline__ T gr_float(f32 single, f64 twice) {
  if constexpr (sizeof(T) == sizeof(f32)) return single;
  else return twice;
}
