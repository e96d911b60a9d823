// Rust's Result<T, E>.
template <class T, class E> struct gr_result { T value; E error; bool ok; };
template <class T, class E> static __device__ __forceinline__ gr_result<T, E> gr_ok(T value) { return gr_result<T, E>{value, {}, true}; }
template <class T, class E> static __device__ __forceinline__ gr_result<T, E> gr_err(E error) { return gr_result<T, E>{{}, error, false}; }
