// `==`, `<` and the others of values that consist of others: part by part, as Rust's derived traits compare. The definition of a struct
// or an enum comes with its own.
template <class T> struct gr_compared {
  // Of numbers: -1, 0, 1, and 2 where there is no order.
  static __device__ __forceinline__ int order(const T& a, const T& b) { return a < b ? -1 : a == b ? 0 : a > b ? 1 : 2; }
};
template <class T> static __device__ __forceinline__ int gr_order(const T& a, const T& b) { return gr_compared<T>::order(a, b); }
#define GR_OPERATOR(OP, RESULT) \
  template <class T> static __device__ __forceinline__ typename gr_compared<T>::gr_type operator OP(const T& a, const T& b) { return RESULT; }
GR_OPERATOR(==, gr_compared<T>::equal(a, b))
GR_OPERATOR(!=, !gr_compared<T>::equal(a, b))
GR_OPERATOR(<, gr_order(a, b) == -1)
GR_OPERATOR(<=, gr_order(a, b) <= 0)
GR_OPERATOR(>, gr_order(a, b) == 1)
GR_OPERATOR(>=, (u32)gr_order(a, b) <= 1)
#undef GR_OPERATOR
template <class T, usize N> struct gr_compared<gr_array<T, N>> {
  typedef bool gr_type;
  static __device__ __forceinline__ bool equal(const gr_array<T, N>& a, const gr_array<T, N>& b) {
    for (usize i = 0; i < N; i++)
      if (!(a.data[i] == b.data[i])) return false;
    return true;
  }
  static __device__ __forceinline__ int order(const gr_array<T, N>& a, const gr_array<T, N>& b) {
    for (usize i = 0; i < N; i++) {
      const int order = gr_order(a.data[i], b.data[i]);
      if (order != 0) return order;
    }
    return 0;
  }
};
template <class T> struct gr_compared<gr_option<T>> {
  typedef bool gr_type;
  static __device__ __forceinline__ bool equal(const gr_option<T>& a, const gr_option<T>& b) {
    return a.some == b.some && (!a.some || a.value == b.value);
  }
  static __device__ __forceinline__ int order(const gr_option<T>& a, const gr_option<T>& b) {
    return a.some && b.some ? gr_order(a.value, b.value) : (int)a.some - (int)b.some;
  }
};
template <class T, class E> struct gr_result;
template <class T, class E> struct gr_compared<gr_result<T, E>> {
  typedef bool gr_type;
  static __device__ __forceinline__ bool equal(const gr_result<T, E>& a, const gr_result<T, E>& b) {
    return a.ok == b.ok && (a.ok ? a.value == b.value : a.error == b.error);
  }
  static __device__ __forceinline__ int order(const gr_result<T, E>& a, const gr_result<T, E>& b) {
    return a.ok != b.ok ? (int)b.ok - (int)a.ok : a.ok ? gr_order(a.value, b.value) : gr_order(a.error, b.error);
  }
};
#define GR_EQUAL(I) && a._##I == b._##I
#define GR_ORDER(I) if (order == 0) order = gr_order(a._##I, b._##I);
#define GR_PARTS(EACH) \
  typedef bool gr_type; \
  template <class T> static __device__ __forceinline__ bool equal(const T& a, const T& b) { return true EACH(GR_EQUAL); } \
  template <class T> static __device__ __forceinline__ int order(const T& a, const T& b) { int order = 0; EACH(GR_ORDER) return order; }
#define GR_1(X) X(0)
#define GR_2(X) GR_1(X) X(1)
#define GR_3(X) GR_2(X) X(2)
#define GR_4(X) GR_3(X) X(3)
#define GR_5(X) GR_4(X) X(4)
#define GR_6(X) GR_5(X) X(5)
#define GR_7(X) GR_6(X) X(6)
#define GR_8(X) GR_7(X) X(7)
template <class A> struct gr_compared<gr_tuple1<A>> { GR_PARTS(GR_1) };
template <class A, class B> struct gr_compared<gr_tuple2<A, B>> { GR_PARTS(GR_2) };
template <class A, class B, class C> struct gr_compared<gr_tuple3<A, B, C>> { GR_PARTS(GR_3) };
template <class A, class B, class C, class D> struct gr_compared<gr_tuple4<A, B, C, D>> { GR_PARTS(GR_4) };
template <class A, class B, class C, class D, class E> struct gr_compared<gr_tuple5<A, B, C, D, E>> { GR_PARTS(GR_5) };
template <class A, class B, class C, class D, class E, class F> struct gr_compared<gr_tuple6<A, B, C, D, E, F>> { GR_PARTS(GR_6) };
template <class A, class B, class C, class D, class E, class F, class G> struct gr_compared<gr_tuple7<A, B, C, D, E, F, G>> { GR_PARTS(GR_7) };
template <class A, class B, class C, class D, class E, class F, class G, class H> struct gr_compared<gr_tuple8<A, B, C, D, E, F, G, H>> { GR_PARTS(GR_8) };
#undef GR_1
#undef GR_2
#undef GR_3
#undef GR_4
#undef GR_5
#undef GR_6
#undef GR_7
#undef GR_8
#undef GR_PARTS
#undef GR_ORDER
#undef GR_EQUAL
