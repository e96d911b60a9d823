// Rust's Option<T>, with the layout that it has in Rust. gr_option<T>{} is None.
template <u64 ALIGN> struct gr_tag { typedef u64 type; };
template <> struct gr_tag<1> { typedef u8 type; };
template <> struct gr_tag<2> { typedef u16 type; };
template <> struct gr_tag<4> { typedef u32 type; };
template <class T> struct gr_option { typename gr_tag<alignof(T)>::type some; T value; };
template <class T> static __device__ __forceinline__ gr_option<T> gr_some(T value) { return gr_option<T>{1, value}; }
