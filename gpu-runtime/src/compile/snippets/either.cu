// Whether an Option or a Result has a value.
template <class T> static __device__ __forceinline__ bool gr_has_value(const gr_option<T>& option) { return option.some; }
template <class T, class E> static __device__ __forceinline__ bool gr_has_value(const gr_result<T, E>& result) { return result.ok; }
