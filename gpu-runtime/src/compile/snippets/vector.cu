// Vectors of two and of four numbers, which are loaded and stored whole, and of three.
template <class T> struct alignas(2 * sizeof(T)) gr_vector2 { T x; T y; };
template <class T> struct gr_vector3 { T x; T y; T z; };
template <class T> struct alignas(4 * sizeof(T) < 16 ? 4 * sizeof(T) : 16) gr_vector4 { T x; T y; T z; T w; };
template <class T> struct gr_real_of<gr_vector2<T>> { typedef T type; };
template <class T> struct gr_real_of<gr_vector3<T>> { typedef T type; };
template <class T> struct gr_real_of<gr_vector4<T>> { typedef T type; };
#define GR_VECTOR(R, NAME, ...) template <class T> static __device__ __forceinline__ R NAME(__VA_ARGS__)
GR_VECTOR(gr_vector2<T>, gr_vector_of, T x, T y) { return gr_vector2<T>{x, y}; }
GR_VECTOR(gr_vector3<T>, gr_vector_of, T x, T y, T z) { return gr_vector3<T>{x, y, z}; }
GR_VECTOR(gr_vector4<T>, gr_vector_of, T x, T y, T z, T w) { return gr_vector4<T>{x, y, z, w}; }
// Lane by lane: of two vectors, or of a vector and a number.
#define GR_PAIRS(NAME) \
  GR_VECTOR(gr_vector2<T>, NAME, gr_vector2<T> a, gr_vector2<T> b) { return gr_vector2<T>{NAME(a.x, b.x), NAME(a.y, b.y)}; } \
  GR_VECTOR(gr_vector3<T>, NAME, gr_vector3<T> a, gr_vector3<T> b) { return gr_vector3<T>{NAME(a.x, b.x), NAME(a.y, b.y), NAME(a.z, b.z)}; } \
  GR_VECTOR(gr_vector4<T>, NAME, gr_vector4<T> a, gr_vector4<T> b) { \
    return gr_vector4<T>{NAME(a.x, b.x), NAME(a.y, b.y), NAME(a.z, b.z), NAME(a.w, b.w)}; \
  }
#define GR_LANES(NAME) \
  GR_PAIRS(NAME) \
  GR_VECTOR(gr_vector2<T>, NAME, gr_vector2<T> a, T b) { return NAME(a, gr_vector2<T>{b, b}); } \
  GR_VECTOR(gr_vector3<T>, NAME, gr_vector3<T> a, T b) { return NAME(a, gr_vector3<T>{b, b, b}); } \
  GR_VECTOR(gr_vector4<T>, NAME, gr_vector4<T> a, T b) { return NAME(a, gr_vector4<T>{b, b, b, b}); } \
  GR_VECTOR(gr_vector2<T>, NAME, T a, gr_vector2<T> b) { return NAME(gr_vector2<T>{a, a}, b); } \
  GR_VECTOR(gr_vector3<T>, NAME, T a, gr_vector3<T> b) { return NAME(gr_vector3<T>{a, a, a}, b); } \
  GR_VECTOR(gr_vector4<T>, NAME, T a, gr_vector4<T> b) { return NAME(gr_vector4<T>{a, a, a, a}, b); }
GR_LANES(gr_wrapping_add)
GR_LANES(gr_wrapping_sub)
GR_LANES(gr_wrapping_mul)
GR_LANES(gr_divide)
GR_PAIRS(gr_min)
GR_PAIRS(gr_max)
GR_VECTOR(gr_vector2<T>, gr_wrapping_neg, gr_vector2<T> a) { return gr_vector2<T>{gr_wrapping_neg(a.x), gr_wrapping_neg(a.y)}; }
GR_VECTOR(gr_vector3<T>, gr_wrapping_neg, gr_vector3<T> a) {
  return gr_vector3<T>{gr_wrapping_neg(a.x), gr_wrapping_neg(a.y), gr_wrapping_neg(a.z)};
}
GR_VECTOR(gr_vector4<T>, gr_wrapping_neg, gr_vector4<T> a) {
  return gr_vector4<T>{gr_wrapping_neg(a.x), gr_wrapping_neg(a.y), gr_wrapping_neg(a.z), gr_wrapping_neg(a.w)};
}
GR_VECTOR(T, gr_vector_sum, gr_vector2<T> a) { return gr_wrapping_add(a.x, a.y); }
GR_VECTOR(T, gr_vector_sum, gr_vector3<T> a) { return gr_wrapping_add(gr_wrapping_add(a.x, a.y), a.z); }
GR_VECTOR(T, gr_vector_sum, gr_vector4<T> a) { return gr_wrapping_add(gr_wrapping_add(gr_wrapping_add(a.x, a.y), a.z), a.w); }
// A quotient of integers fails where that of any lane does.
GR_VECTOR(bool, gr_is_zero_divisor, gr_vector2<T> b) { return gr_is_zero_divisor(b.x) || gr_is_zero_divisor(b.y); }
GR_VECTOR(bool, gr_is_zero_divisor, gr_vector3<T> b) {
  return gr_is_zero_divisor(b.x) || gr_is_zero_divisor(b.y) || gr_is_zero_divisor(b.z);
}
GR_VECTOR(bool, gr_is_zero_divisor, gr_vector4<T> b) {
  return gr_is_zero_divisor(b.x) || gr_is_zero_divisor(b.y) || gr_is_zero_divisor(b.z) || gr_is_zero_divisor(b.w);
}
GR_VECTOR(bool, gr_division_overflows, gr_vector2<T> a, gr_vector2<T> b) {
  return gr_division_overflows(a.x, b.x) || gr_division_overflows(a.y, b.y);
}
GR_VECTOR(bool, gr_division_overflows, gr_vector3<T> a, gr_vector3<T> b) {
  return gr_division_overflows(a.x, b.x) || gr_division_overflows(a.y, b.y) || gr_division_overflows(a.z, b.z);
}
GR_VECTOR(bool, gr_division_overflows, gr_vector4<T> a, gr_vector4<T> b) {
  return gr_division_overflows(a.x, b.x) || gr_division_overflows(a.y, b.y) || gr_division_overflows(a.z, b.z) || gr_division_overflows(a.w, b.w);
}
GR_VECTOR(bool, gr_division_overflows, gr_vector2<T> a, T b) { return gr_division_overflows(a, gr_vector2<T>{b, b}); }
GR_VECTOR(bool, gr_division_overflows, gr_vector3<T> a, T b) { return gr_division_overflows(a, gr_vector3<T>{b, b, b}); }
GR_VECTOR(bool, gr_division_overflows, gr_vector4<T> a, T b) { return gr_division_overflows(a, gr_vector4<T>{b, b, b, b}); }
GR_VECTOR(bool, gr_division_overflows, T a, gr_vector2<T> b) { return gr_division_overflows(gr_vector2<T>{a, a}, b); }
GR_VECTOR(bool, gr_division_overflows, T a, gr_vector3<T> b) { return gr_division_overflows(gr_vector3<T>{a, a, a}, b); }
GR_VECTOR(bool, gr_division_overflows, T a, gr_vector4<T> b) { return gr_division_overflows(gr_vector4<T>{a, a, a, a}, b); }
GR_VECTOR(bool, operator==, gr_vector2<T> a, gr_vector2<T> b) { return a.x == b.x && a.y == b.y; }
GR_VECTOR(bool, operator==, gr_vector3<T> a, gr_vector3<T> b) { return a.x == b.x && a.y == b.y && a.z == b.z; }
GR_VECTOR(bool, operator==, gr_vector4<T> a, gr_vector4<T> b) { return a.x == b.x && a.y == b.y && a.z == b.z && a.w == b.w; }
GR_VECTOR(bool, operator!=, gr_vector2<T> a, gr_vector2<T> b) { return !(a == b); }
GR_VECTOR(bool, operator!=, gr_vector3<T> a, gr_vector3<T> b) { return !(a == b); }
GR_VECTOR(bool, operator!=, gr_vector4<T> a, gr_vector4<T> b) { return !(a == b); }
#undef GR_LANES
#undef GR_PAIRS
#undef GR_VECTOR
