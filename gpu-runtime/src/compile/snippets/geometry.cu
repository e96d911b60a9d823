// Lengths and directions of vectors of floats.
static __device__ __forceinline__ f32 gr_root(f32 x) { return sqrtf(x); }
static __device__ __forceinline__ f64 gr_root(f64 x) { return sqrt(x); }
template <class V> static __device__ __forceinline__ gr_real<V> gr_vector_length(V a) { return gr_root(gr_vector_sum(gr_wrapping_mul(a, a))); }
template <class V> static __device__ __forceinline__ V gr_vector_normalize(V a) { return gr_divide(a, gr_vector_length(a)); }
template <class V> static __device__ __forceinline__ V gr_vector_lerp(V a, V b, gr_real<V> t) {
  return gr_wrapping_add(a, gr_wrapping_mul(gr_wrapping_sub(b, a), t));
}
template <class T> static __device__ __forceinline__ gr_vector3<T> gr_vector_cross(gr_vector3<T> a, gr_vector3<T> b) {
  return gr_vector3<T>{a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
