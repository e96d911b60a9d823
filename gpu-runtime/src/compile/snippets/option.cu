// Rust's Option<T>. gr_option<T>{} is None.
template <class T> struct gr_option { T value; bool some; };
template <class T> static __device__ __forceinline__ gr_option<T> gr_some(T value) { return gr_option<T>{value, true}; }
